// The gate before the HDF5 library: one mutex, silence, and an orderly end of the process.
#define _POSIX_C_SOURCE 200809L

#include "record/sink.h"

#include <hdf5.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool opened, exiting;

// How the application wants HDF5's errors printed; put back by Leave.
static H5E_auto2_t print;
static void* printData;
static bool printKnown;

/// Runs before HDF5's own handler, which was registered earlier (by H5open): from here on no writer
/// thread enters a library that is being taken down. HDF5's handler then closes the files.
static void stopAtExit(void)
{
    pthread_mutex_lock(&mutex);
    exiting = true;
    pthread_mutex_unlock(&mutex);
}

bool plHdf5_Enter(void)
{
    pthread_mutex_lock(&mutex);
    if (!opened && !exiting) opened = H5open() >= 0 && atexit(stopAtExit) == 0;
    if (!opened || exiting) {
        pthread_mutex_unlock(&mutex);
        return false;
    }
    printKnown = H5Eget_auto2(H5E_DEFAULT, &print, &printData) >= 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return true;
}

void plHdf5_Leave(void)
{
    H5Eclear2(H5E_DEFAULT);
    if (printKnown) H5Eset_auto2(H5E_DEFAULT, print, printData);
    pthread_mutex_unlock(&mutex);
}
