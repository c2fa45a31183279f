// record: traces, written beside the tick and read back for replay.
//   in    one row per tick {T, hash, values}, pushed into a ring that never waits
//   out   a CSV for people, an HDF5 file for replay; plTrace
#ifndef PL_RECORD_ROOM_H
#define PL_RECORD_ROOM_H

#include "palp/record.h"

#endif
