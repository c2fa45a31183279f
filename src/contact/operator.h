// The contact operator: p -> W p of a space, whatever W is stored as. Nothing outside of operator.c asks how.
#ifndef PL_CONTACT_OPERATOR_H
#define PL_CONTACT_OPERATOR_H

#include "contact/space.h"

/// Some of the columns: contacts whose impulses are not zero, in any order.
typedef struct {
    int count;
    const int* contacts;
} plColumns;

/// A block of W, of the contact of a row and that of a column.
typedef struct {
    const double* B;
    int stride; ///< numbers from one row to the next
    int column; ///< a contact; its place among the columns that were asked for
} plOperatorBlock;

typedef struct {
    const char* name; ///< of the storage
    /// w += W p of the rows first .. dim - 1 of a contact, from these columns; null: from all. w is that of row 0.
    void (*rows)(const plSpace*, const plColumns*, const double* p, int contact, int first,
                 int count, double* w);
    /// The next block of a contact's rows after the *k-th, among these columns, of which `place` has the numbers;
    /// null: among all, ascending. False: there are no more. Null: this storage has no blocks to factor.
    bool (*block)(const plSpace*, const plColumns*, const int* place, int contact, int* k,
                  plOperatorBlock*);
    double (*entries)(const plSpace*); ///< numbers that a product reads
    /// What is kept of W p, so that `rows` is cheap: from all of p; and after a change of one contact's. Null: nothing.
    void (*gather)(const plSpace*, const double* p);
    void (*column)(const plSpace*, int contact, const double* dp);
} plOperator;

const plOperator* plSpace_Operator(const plSpace*);

#endif
