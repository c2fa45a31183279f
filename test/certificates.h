// Certificates that a test makes for itself. For one file per program.
#ifndef PL_TEST_CERTIFICATES_H
#define PL_TEST_CERTIFICATES_H

#include <stdbool.h>
#include <stdio.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

static inline bool fill(X509* x, EVP_PKEY* key)
{
    X509_NAME* name = X509_get_subject_name(x);
    return X509_set_version(x, 2) && ASN1_INTEGER_set(X509_get_serialNumber(x), 1) &&
           X509_gmtime_adj(X509_getm_notBefore(x), -3600) &&
           X509_gmtime_adj(X509_getm_notAfter(x), 3600) && X509_set_pubkey(x, key) &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char*)"localhost",
                                      -1, -1, 0) &&
           X509_set_issuer_name(x, name) && X509_sign(x, key, EVP_sha256()) > 0;
}

/// A key of P-256 and a certificate signed by itself for localhost, valid for an hour.
static inline bool makeCertificate(const char* certificate, const char* keyFile)
{
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* x = X509_new();
    FILE *forKey = fopen(keyFile, "w"), *forCertificate = fopen(certificate, "w");
    bool good = key && x && forKey && forCertificate && fill(x, key) &&
                PEM_write_PrivateKey(forKey, key, NULL, NULL, 0, NULL, NULL) &&
                PEM_write_X509(forCertificate, x);
    if (forKey) good = fclose(forKey) == 0 && good;
    if (forCertificate) good = fclose(forCertificate) == 0 && good;
    X509_free(x);
    EVP_PKEY_free(key);
    return good;
}

#endif
