// Private to the room.
#ifndef PL_RUNTIME_INSIDE_H
#define PL_RUNTIME_INSIDE_H

#include "math/math.h"
#include "palp/runtime.h"
#include "runtime/runtime.h"

// picture.c
size_t plPicture_Size(const plWorld*, int contacts);
/// The world as it is, behind a head whose other members the loop has filled.
void plPicture_Take(plPicture*, const plPicture* head, const plWorld*, int contacts);

#endif
