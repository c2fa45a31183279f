// token: what lets a client into a server.
#ifndef PL_TOKEN_H
#define PL_TOKEN_H

#include "app.h"

#include "serve/serve.h"

typedef struct {
    char text[plTokenMost + 8]; ///< empty: there is none
    char file[4096];            ///< that has it; empty: it is of the environment
} plToken;

/// Of $PALP_TOKEN, else of `file` (null: token in palp's folder of settings), which is made with a new token
/// of 128 bits, for its owner alone, when it is not there. Without `needed` and without either there is none.
/// Never from the command line, which all users of the machine can read. Complains.
int plToken_Take(plToken*, const char* file, bool needed);

#endif
