// palp doctor and palp serve with real devices, emulated, as a person meets them.
#define _GNU_SOURCE

#include "app.h"
#include "served.h"

static const char omega[] = "PALP_LIBDRD=" PALP_EMULATED_DRD,
                  touch[] = "PALP_LIBHD=" PALP_EMULATED_HD;

static void doctorWith(const char* before, const char* arguments, const char* expected)
{
    char line[1024];
    snprintf(line, sizeof line, "doctor %s", arguments);
    runAfter(before, line);
    expectCode(pl_exitOk);
    expectIn(answer.out, expected);
}

static void theDoctorSaysOfEachWhatIsWrong(void** state)
{
    char before[1024], line[1024];
    (void)state;
    runAfter("env -u PALP_LIBDRD -u PALP_LIBHD", "doctor");
    expectCode(pl_exitOk);
    expectIn(answer.out, "install the Force Dimension SDK");
    expectIn(answer.out, "install 3D Systems OpenHaptics");
    expectIn(answer.out, "  inverse3 ");
    expectIn(answer.out, "  2diy ");

    doctorWith(omega, "--device force-dimension", "found: emulated omega.3, up to 12 N");
    doctorWith(touch, "--device touch", "found: emulated Touch, up to 3.3 N");
    snprintf(line, sizeof line, "--device touch:%s", PALP_EMULATED_DRD);
    doctorWith("", line, "not the right libHD: it has no hdInitDevice");
    snprintf(before, sizeof before, "PALP_EMULATED=uncalibrated %s", omega);
    doctorWith(before, "--device force-dimension", "not calibrated");
    snprintf(before, sizeof before, "PALP_EMULATED=uncalibrated %s", touch);
    doctorWith(before, "--device touch", "not calibrated");
    snprintf(before, sizeof before, "PALP_EMULATED=none %s", omega);
    doctorWith(before, "--device force-dimension", "no Force Dimension device is connected");
    snprintf(before, sizeof before, "PALP_EMULATED=refuses %s", omega);
    doctorWith(before, "--device force-dimension", "udev");
    doctorWith("", "--device inverse3:ws://127.0.0.1:1", "nobody listens at ws://127.0.0.1:1");
    doctorWith("", "--device 2diy:/dev/nothing", "there is no /dev/nothing");
    run("doctor --device wings");
    expectCode(pl_exitInput);
    expectIn(answer.err, "the kinds are inverse3, 2diy, force-dimension and touch");
}

static void whatCannotBeServedIsSaid(void** state)
{
    char before[1024];
    (void)state;
    snprintf(before, sizeof before, "%s %s", omega, touch);
    run("serve --device touch");
    expectComplaint(pl_exitInput, "needs a SCENE");
    run("serve wall --device tuch");
    expectComplaint(pl_exitInput, "the kinds are");
    runAfter("PALP_LIBHD=/nothing", "serve wall --port 0 --device touch");
    expectComplaint(pl_exitInput, "there is no library /nothing");
    runAfter(before, "serve wall --port 0 --device touch --device force-dimension");
    expectComplaint(pl_exitInput, "no further device");
    runAfter(before, "serve wall --port 0 --device lever=touch");
    expectComplaint(pl_exitInput, "no device \"lever\"");
    runAfter(before, "serve stack --port 0 --device touch");
    expectComplaint(pl_exitInput, "no further device");
    runAfter(before, "serve wall --port 0 --device touch --inverse-service 0");
    expectComplaint(pl_exitInput, "--inverse-service: the scene has no further device");
    runAfter(before, "serve wall --port 0 --device touch --device-rate 5");
    expectComplaint(pl_exitInput, "--device-rate");
    run("serve wall --port 0 --device-rate 2000");
    expectComplaint(pl_exitInput, "--device-rate needs a --device");
    run("serve wall --port 0 --inverse-service 99999");
    expectComplaint(pl_exitInput, "takes a port");
}

// --- a server as a child

// The scene is open at once, and has no session: nobody could run it again.
static void aSceneWithADeviceIsServed(void** state)
{
    char* arguments[] = {
        command,         "serve", "wall", "--port", "0", "--device", "stick=force-dimension",
        "--device-rate", "2000",  NULL};
    (void)state;
    setenv("PALP_LIBDRD", PALP_EMULATED_DRD, 1);
    const Child c = startServer(arguments, false);
    ask(c.port, "/api/session/wall");
    expectIn(answerText, "it cannot be run again");
    endServer(&c);
}

// One palp serves a simulated device as the Inverse Service does, another one finds it there.
static void aServedInverse3IsFoundByAnotherPalp(void** state)
{
    char line[256];
    char* arguments[] = {command, "serve", "wall", "--port", "0", "--inverse-service", "0", NULL};
    (void)state;
    const Child c = startServer(arguments, true);
    snprintf(line, sizeof line, "--device inverse3:ws://127.0.0.1:%d", c.servicePort);
    doctorWith("", line, "found: Inverse3 PALP, up to 5 N");
    snprintf(line, sizeof line, "serve wall --port %d --device inverse3:ws://127.0.0.1:%d", c.port,
             c.servicePort);
    run(line); // its port is taken: it ends, behind the device
    expectComplaint(pl_exitInput, "is it in use");
    endServer(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theDoctorSaysOfEachWhatIsWrong),
        cmocka_unit_test(whatCannotBeServedIsSaid),
        cmocka_unit_test(aSceneWithADeviceIsServed),
        cmocka_unit_test(aServedInverse3IsFoundByAnotherPalp),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
