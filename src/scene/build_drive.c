#include "scene/build.h"

#include <stddef.h>

typedef struct {
    plSpot place;
    plDriveDef def;
} Drive;

#define DRIVE_NUMBER(name, itsUnit)                                                                \
    {                                                                                              \
        .key = #name, .kind = pl_fieldNumber, .offset = offsetof(Drive, def.name), .unit = itsUnit \
    }

static const plField driveFields[] = {
    {.key = "mechanism",
     .kind = pl_fieldName,
     .offset = offsetof(Drive, place.mechanism),
     .required = true},
    {.key = "part", .kind = pl_fieldName, .offset = offsetof(Drive, place.part)},
    {.key = "point", .kind = pl_fieldVec3, .offset = offsetof(Drive, place.point), .unit = "m"},
    {.key = "force",
     .kind = pl_fieldVec3,
     .offset = offsetof(Drive, def.wrench.force),
     .unit = "N"},
    {.key = "torque",
     .kind = pl_fieldVec3,
     .offset = offsetof(Drive, def.wrench.torque),
     .unit = "N m"},
    {.key = "coordinate",
     .kind = pl_fieldInt,
     .offset = offsetof(Drive, def.coordinate),
     .range = pl_rangeNotNegative,
     .max = plMaxVelocities - 1},
    DRIVE_NUMBER(effort, "N or N m"),
    DRIVE_NUMBER(bias, "1"),
    DRIVE_NUMBER(amplitude, "1"),
    {.key = "frequency",
     .kind = pl_fieldNumber,
     .offset = offsetof(Drive, def.frequency),
     .range = pl_rangeNotNegative,
     .unit = "Hz"},
    DRIVE_NUMBER(phase, "rad"),
    DRIVE_NUMBER(start, "s"),
    DRIVE_NUMBER(stop, "s"),
};

/// A drive acts either on a coordinate or at a place.
static bool checkWay(plReader* r, const json_t* json)
{
    static const char* const atPlace[] = {"part", "point", "force", "torque"};
    bool coordinate = json_object_get(json, "coordinate"), effort = json_object_get(json, "effort");
    bool wrench = json_object_get(json, "force") || json_object_get(json, "torque");
    if (coordinate != effort || (!coordinate && !wrench))
        return plReader_Fail(r, pl_statusSceneContent,
                             "expected \"force\" or \"torque\", or both \"coordinate\" and "
                             "\"effort\"");
    for (int i = 0; i < PL_COUNT(atPlace) && coordinate; i++) {
        if (!json_object_get(json, atPlace[i])) continue;
        return plReader_FailAt(r, atPlace[i],
                               "found beside \"coordinate\", expected one of the two");
    }
    return true;
}

static bool buildDrive(plBuilder* b, const json_t* json)
{
    plReader* r = b->reader;
    Drive drive = {.def = plDefaultDriveDef()};
    drive.def.coordinate = -1;
    int index = -1;
    if (!plReader_Object(r, json, driveFields, PL_COUNT(driveFields), &drive) ||
        !checkWay(r, json) || !plBuilder_Site(b, &drive.place, &drive.def.site, &index))
        return false;
    int velocities = b->mechanisms[index].velocities;
    if (drive.def.coordinate >= velocities)
        return plReader_FailAt(r, "coordinate",
                               "found %d, expected an index below %d, the velocities of \"%s\"",
                               drive.def.coordinate, velocities, drive.place.mechanism);
    b->driveCount++;
    return !b->world || plBuilder_Passed(b, plWorld_AddDrive(b->world, &drive.def));
}

bool plBuilder_Drives(plBuilder* b, const json_t* root)
{
    json_t* array;
    int count = plReader_EnterArray(b->reader, root, "drives", plMaxDrives, &array);
    for (int i = 0; i < count && !b->reader->failed; i++) {
        plReader_EnterIndex(b->reader, i);
        buildDrive(b, json_array_get(array, (size_t)i));
        plReader_Leave(b->reader);
    }
    plReader_Leave(b->reader);
    return !b->reader->failed;
}
