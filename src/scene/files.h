// Files that a scene reads: its own text, triangles that shapes are made of, meshes of soft bodies,
// motions of hands.
#ifndef PL_SCENE_FILES_H
#define PL_SCENE_FILES_H

#include "palp/device.h"
#include "palp/nurbs.h"
#include "palp/tets.h"
#include "scene/reader.h"

/// Bytes of a regular file, with a zero behind them; the caller frees them. A file longer than
/// `most` gives its first most + 1 bytes. `why` is a reason in words, or null.
plStatus plFile_Read(const char* path, size_t most, char** bytes, size_t* size, const char** why);

/// Triangles, tetrahedra and patches by path and scale, motions by path. Each file is read once, so
/// that all worlds of a scene are made of the same ones, whatever happens to the file.
typedef struct plFiles plFiles;

plFiles* plFiles_Create(void); ///< null: no memory
void plFiles_Destroy(plFiles*);

/// `path` is relative to the folder of the reader's file. What is wrong is told at "file" of the
/// object that the reader is at.
bool plFiles_Triangles(plFiles*, plReader*, const char* path, double scale, const plTriangles**);

/// The same for tetrahedra, and for patches.
bool plFiles_Tets(plFiles*, plReader*, const char* path, double scale, const plTets**);
bool plFiles_Patches(plFiles*, plReader*, const char* path, double scale, const plPatches**);

/// The same for a motion, told at "motion". The points stay until plFiles_Destroy.
bool plFiles_Motion(plFiles*, plReader*, const char* path, const plWaypoint** points, int* count);

/// Makes every path of a "file" or "motion" below `root` absolute, so that the scene's text means the same
/// wherever it is read. False: there was none.
bool plFiles_MakeAbsolute(const char* sceneFile, json_t* root);

#endif
