// The course of a run: how long it is, and what ends it.
#define _POSIX_C_SOURCE 200809L

#include "app.h"

#include <math.h>
#include <stdio.h>

bool plCourse_Check(const plScene* scene, char* message, size_t size)
{
    const double time = plScene_Time(scene), step = plScene_Step(scene);
    if (time / step <= 1e12) return true;
    snprintf(message, size, "%g s in steps of %g s are more than 1e12 steps", time, step);
    return false;
}

bool plCourse_IsOver(const plOpened* opened, const plStepper* stepper)
{
    const double total = plScene_Time(opened->scene);
    if (stepper->min < stepper->max)
        return plWorld_Time(opened->world) >= total - 1e-3 * stepper->min;
    return (double)plWorld_Tick(opened->world) >= ceil(total / stepper->min - 1e-6);
}

// --- interrupts

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

const volatile sig_atomic_t* plCourse_Interrupted(void) { return &interrupted; }

void plCourse_Listen(int number)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}
