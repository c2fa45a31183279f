// A recorded motion as text: what a hand did, or should do.
#ifndef PL_SCENE_MOTION_H
#define PL_SCENE_MOTION_H

#include "palp/device.h"

#include <stddef.h>

enum { plMotionBytes = 64 << 20, plMotionMessage = 400 };

/// Comma-separated values: a line with the names of the columns, then a row per time. Columns are
/// time [s], x, y, z [m], and either angle (about z [rad]) or qw, qx, qy, qz, in any order. Times
/// rise. At most plHandPoints rows. The caller frees the points. What is wrong stands in `message`,
/// behind `shown` and the line; with no memory it is empty.
plStatus plMotion_Parse(const char* shown, const char* bytes, size_t size, plWaypoint** points,
                        int* count, char message[plMotionMessage]);

#endif
