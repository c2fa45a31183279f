// palp passivity: what its files share.
#ifndef PL_PASSIVITY_H
#define PL_PASSIVITY_H

#include "zwidth.h"

#include <stdio.h>

/// The summary: device, place, limits, the scene's own wall, what to change.
void plPassivity_Tell(plZWidth*, const char* title, FILE*);

/// passivity.csv, passivity.json and passivity.svg into a folder: an exit code.
int plPassivity_Write(const plZWidth*, const char* title, const char* folder);

#endif
