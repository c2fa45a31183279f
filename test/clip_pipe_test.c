// The clip on a pipe that is soft, too: it snaps on with less force, and nothing is created; a pipe as
// hard as diamond is the rigid one again.
#include "clips.h"

static Snapped runOf(TaskOptions o, const char* name)
{
    Task t = makeTaskOf(o);
    const Snapped s = run(&t, 3e-3, 2);
    tell(name, &s);
    assert_int_equal(s.failed, 0);
    checkAtMost("created", s.created, 1e-10);
    checkAtMost("residual", s.residual, 1e-12);
    checkNear("weight", s.end, -0.1472, 1e-3);
    assert_true(s.released > 0);
    plWorld_Destroy(t.world);
    return s;
}

// The hard pipe is compared with a rigid one of as many flat faces: they cost 8 % more than a round one
// does, because the clip's nodes climb from one to the next.
static void aSoftPipeTakesLessForceAndAHardOneIsRigid(void** state)
{
    (void)state;
    const Snapped round = runOf((TaskOptions){.mu = 0.2}, "round");
    const Snapped soft = runOf((TaskOptions){.mu = 0.2, .pipeE = 50e6}, "50 MPa");
    assert_true(soft.push < round.push && soft.pull < round.pull);
    if (sized(1, 0)) return;
    const Snapped flat = runOf((TaskOptions){.mu = 0.2, .faces = pipeSectors}, "72 faces");
    const Snapped hard = runOf((TaskOptions){.mu = 0.2, .pipeE = 1e12}, "1e12 Pa");
    assert_true(soft.push < flat.push && soft.pull < flat.pull);
    checkNear("push", hard.push, flat.push, 0.02 * flat.push);
    checkNear("pull", hard.pull, flat.pull, 0.02 * flat.pull);
    const Snapped finer = runOf((TaskOptions){.mu = 0.2, .faces = 5 * pipeSectors}, "360 faces");
    checkNear("push of many faces", finer.push, round.push, 0.02 * round.push);
    checkNear("pull of many faces", finer.pull, round.pull, 0.02 * round.pull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aSoftPipeTakesLessForceAndAHardOneIsRigid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
