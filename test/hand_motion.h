// A real hand that moves an Inverse3, recorded by others.
#ifndef PALP_TEST_HAND_MOTION_H
#define PALP_TEST_HAND_MOTION_H

#include "reference.h"
#include "worlds.h"

enum { handRows = 4000 };

/// Places only: the file's velocities are wrong, and the first row is empty. Returns how many; the test is skipped
/// where the file is missing.
static inline int loadHandMotion(plWaypoint points[handRows])
{
    char command[1200], line[512];
    int count = 0;
    snprintf(command, sizeof command, "gzip -dc '%s'",
             publishedFile("data/hand-motion/haply_20231122_135425_head4000.csv.gz"));
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    for (int row = 0; count < handRows && fgets(line, sizeof line, pipe); ++row) {
        double t, x, y, z;
        if (row < 2 || sscanf(line, "%*d,%lf,%lf,%lf,%lf", &t, &x, &y, &z) != 4) continue;
        if (count > 0 && !(t > points[count - 1].time)) continue;
        points[count++] = (plWaypoint){t, {{x, y, z}, {1, 0, 0, 0}}};
    }
    pclose(pipe);
    assert_true(count > handRows / 2);
    return count;
}

#endif
