// Reading numbers and words from a text in memory, with errors that name file and line.
#ifndef PL_CONTACT_SPACE_SCAN_H
#define PL_CONTACT_SPACE_SCAN_H

#include "contact/space.h"

/// A text that ends with a zero. After the first failure every read fails, so that a format can be
/// read straight through and asked once.
typedef struct {
    const char* path;
    const char* text;
    const char* at;
    const char* end;
    bool failed;
    plStatus status; ///< why
    char* error;
    size_t errorSize;
} plScan;

/// Fails with "path:line: message"; returns false.
bool plScan_Fail(plScan*, plStatus, const char* message, ...);

int plScan_Int(plScan*, const char* what, int min, int max); ///< min when it failed
double plScan_Number(plScan*, const char* what);             ///< finite; 0 when it failed
void plScan_Numbers(plScan*, const char* what, double* out, int count);
bool plScan_Word(plScan*, const char* word); ///< this very word; fails on another
bool plScan_Peek(plScan*, const char* word); ///< is it next? reads nothing
void plScan_SkipLine(plScan*);
/// Nothing but blanks may follow.
bool plScan_Ends(plScan*);

/// Could the rest of the text hold so many numbers? Fails when not: no count is believed before.
bool plScan_Holds(plScan*, const char* what, size_t numbers);

/// Takes memory for a space and its known solution.
bool plScan_Space(plScan*, plSpaceFile*, int dim, int contacts, int blocks, const plAllocator*);

void plSpace_ReadOwn(plScan*, plSpaceFile*, const plAllocator*);
void plSpace_ReadPaper(plScan*, plSpaceFile*, const plAllocator*);
void plSpace_ReadContact(plScan*, plSpaceFile*, const plAllocator*);
void plSpace_ReadLcp(plScan*, plSpaceFile*, const plAllocator*);

#endif
