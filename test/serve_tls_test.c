// A server that speaks TLS, with a certificate made here, to a client of OpenSSL.
#define _GNU_SOURCE

#include "certificates.h"
#include "wire.h"

#include <openssl/ssl.h>
#include <signal.h>

// libwebsockets 4.1.6 makes a context for clients beside that of the server, and does not give it back.
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void)
{
    return "leak:libssl.so\nleak:libcrypto.so\nleak:libwebsockets.so\n";
}

static char folder[] = "/tmp/palp-tls-XXXXXX";
static char certificate[64], key[64], otherKey[64];
static const char token[] = "0123456789abcdef0123456789abcdef";
static Served served;

static plServerDef defOf(Served* s)
{
    plServerDef def = servedDef(s);
    def.certificate = certificate;
    def.key = key;
    return def;
}

static int begin(void** state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(certificate, sizeof certificate, "%s/certificate.pem", folder);
    snprintf(key, sizeof key, "%s/key.pem", folder);
    snprintf(otherKey, sizeof otherKey, "%s/other.pem", folder);
    if (!makeCertificate(certificate, otherKey)) return -1;
    if (!makeCertificate(certificate, key)) return -1;
    plServerDef def = defOf(&served);
    def.token = token;
    def.view = "doc";
    serve(&served, &def);
    return 0;
}

static int end(void** state)
{
    (void)state;
    endServer(&served);
    unlink(certificate);
    unlink(key);
    unlink(otherKey);
    return rmdir(folder);
}

// --- a client

typedef struct {
    int fd;
    SSL_CTX* context;
    SSL* ssl;
} Line;

/// False: the server does not speak as this client does.
static bool dialTls(Line* l, int port, int least, int most)
{
    *l = (Line){.fd = dial(port), .context = SSL_CTX_new(TLS_client_method())};
    assert_non_null(l->context);
    SSL_CTX_set_security_level(l->context, 0); // else the client itself refuses what is old
    SSL_CTX_set_min_proto_version(l->context, least);
    SSL_CTX_set_max_proto_version(l->context, most);
    assert_int_equal(SSL_CTX_load_verify_locations(l->context, certificate, NULL), 1);
    SSL_CTX_set_verify(l->context, SSL_VERIFY_PEER, NULL);
    l->ssl = SSL_new(l->context);
    assert_non_null(l->ssl);
    assert_int_equal(SSL_set_fd(l->ssl, l->fd), 1);
    return SSL_connect(l->ssl) == 1;
}

static void hangUpTls(Line* l)
{
    SSL_free(l->ssl);
    SSL_CTX_free(l->context);
    close(l->fd);
}

/// What comes behind a request until `part` is in it; the text is in answerText.
static bool askTls(Line* l, const char* path, const char* headers, const char* part)
{
    char text[1024];
    size_t used = 0;
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost:%d\r\n%s\r\n", path,
             served.port, headers);
    assert_true(SSL_write(l->ssl, text, (int)strlen(text)) > 0);
    answerText[0] = '\0';
    while (used < sizeof answerText - 1 && !memmem(answerText, used, part, strlen(part))) {
        const int n = SSL_read(l->ssl, answerText + used, (int)(sizeof answerText - 1 - used));
        if (n <= 0) return false;
        used += (size_t)n;
        answerText[used] = '\0';
    }
    return true;
}

// --- facts

static void pagesComeByTls(void** state)
{
    (void)state;
    Line l;
    char path[120];
    assert_true(dialTls(&l, served.port, TLS1_2_VERSION, TLS1_3_VERSION));
    snprintf(path, sizeof path, "/protocol.md?token=%s", token);
    assert_true(askTls(&l, path, "Connection: close\r\n", "palp-1"));
    assert_non_null(strstr(answerText, " 200 "));
    // A cookie that never goes over a plain connection.
    assert_non_null(strstr(answerText, "HttpOnly; SameSite=Strict; Secure"));
    hangUpTls(&l);
    assert_true(dialTls(&l, served.port, TLS1_2_VERSION, TLS1_3_VERSION));
    assert_true(askTls(&l, "/protocol.md", "Connection: close\r\n", "missing"));
    assert_non_null(strstr(answerText, " 401 "));
    hangUpTls(&l);
}

static const char webSocket[] = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: palp-1\r\n";

static bool wss(const char* origin, const char* part)
{
    Line l;
    char path[120], headers[512];
    snprintf(path, sizeof path, "/ws?scene=box&token=%s", token);
    snprintf(headers, sizeof headers, "%sOrigin: %s://localhost:%d\r\n", webSocket, origin,
             served.port);
    assert_true(dialTls(&l, served.port, TLS1_2_VERSION, TLS1_3_VERSION));
    const bool found = askTls(&l, path, headers, part);
    hangUpTls(&l);
    return found;
}

static void webSocketsComeByTlsAndFromItsPagesOnly(void** state)
{
    (void)state;
    assert_true(wss("https", "\"hello\""));
    assert_true(wss("http", "another origin")); // not the same as https
    assert_non_null(strstr(answerText, " 403 "));
}

// Plain HTTP, and versions of TLS that are broken, have no answer.
static void onlySafeWaysAreSpoken(void** state)
{
    (void)state;
    Line l;
    char path[120];
    assert_false(dialTls(&l, served.port, TLS1_VERSION, TLS1_1_VERSION));
    hangUpTls(&l);
    assert_true(dialTls(&l, served.port, TLS1_2_VERSION, TLS1_2_VERSION));
    hangUpTls(&l);
    snprintf(path, sizeof path, "/protocol.md?token=%s", token);
    assert_int_not_equal(ask(served.port, path), 200);
    assert_null(strstr(answerText, "palp-1"));
}

// A page of HTTP/2 could not open WebSockets.
static void theFirstVersionOfHttpIsAgreedOn(void** state)
{
    (void)state;
    static const unsigned char offer[] = "\x02h2\x08http/1.1";
    const unsigned char* chosen;
    unsigned length;
    Line l = {.fd = dial(served.port), .context = SSL_CTX_new(TLS_client_method())};
    assert_non_null(l.context);
    SSL_CTX_set_alpn_protos(l.context, offer, sizeof offer - 1);
    l.ssl = SSL_new(l.context);
    SSL_set_fd(l.ssl, l.fd);
    assert_int_equal(SSL_connect(l.ssl), 1);
    SSL_get0_alpn_selected(l.ssl, &chosen, &length);
    assert_int_equal(length, 8);
    assert_memory_equal(chosen, "http/1.1", 8);
    hangUpTls(&l);
}

static void expectRefusal(const plServerDef* def, const char* part)
{
    plServer* other;
    char message[256];
    assert_int_equal(plServer_Create(def, &other, message, sizeof message), pl_statusBadArgument);
    if (!strstr(message, part)) fail_msg("\"%s\" is not in \"%s\"", part, message);
}

static void whatCannotBeACertificateIsSaid(void** state)
{
    (void)state;
    static Served other;
    plServerDef def = defOf(&other);
    def.key = NULL;
    expectRefusal(&def, "its key");
    def.key = "/nothing/key.pem";
    expectRefusal(&def, "cannot be read");
    def.key = otherKey;
    expectRefusal(&def, "belong together");
    def.key = certificate;
    expectRefusal(&def, "belong together");
    def.certificate = "README.md";
    def.key = key;
    expectRefusal(&def, "belong together");
    def.certificate = folder;
    expectRefusal(&def, "belong together");
    def.certificate = def.key = "/dev/null";
    expectRefusal(&def, "belong together");
}

// Handshakes that break off, and silence, cost others nothing.
static void brokenHandshakesMakeRoom(void** state)
{
    (void)state;
    enum { most = 4, rounds = 20 };
    static Served other;
    Line l;
    plServerDef def = defOf(&other);
    def.connections = most;
    serve(&other, &def);
    for (int i = 0; i < rounds; ++i) {
        const int fd = dial(other.port);
        (void)put(fd, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 no hello", (size_t)(20 - i));
        close(fd);
    }
    rest(0.2);
    assert_true(dialTls(&l, other.port, TLS1_2_VERSION, TLS1_3_VERSION));
    hangUpTls(&l);
    endServer(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pagesComeByTls),
        cmocka_unit_test(webSocketsComeByTlsAndFromItsPagesOnly),
        cmocka_unit_test(onlySafeWaysAreSpoken),
        cmocka_unit_test(theFirstVersionOfHttpIsAgreedOn),
        cmocka_unit_test(whatCannotBeACertificateIsSaid),
        cmocka_unit_test(brokenHandshakesMakeRoom),
    };
    signal(SIGPIPE, SIG_IGN); // OpenSSL writes without MSG_NOSIGNAL
    return cmocka_run_group_tests(tests, begin, end);
}
