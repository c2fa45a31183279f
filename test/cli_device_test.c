// palp doctor and palp serve with real devices, emulated, as a person meets them.
#define _GNU_SOURCE

#include "app.h"
#include "cli.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

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

typedef struct {
    pid_t pid;
    int port, servicePort;
} Child;

static int portIn(FILE* from, const char* part)
{
    char line[512] = "";
    assert_non_null(fgets(line, sizeof line, from));
    const char* at = strstr(line, part);
    if (!at) fail_msg("\"%s\" is not in \"%s\"", part, line);
    return at ? atoi(at + strlen(part)) : 0;
}

static Child startServer(char* const* arguments, bool service)
{
    Child c = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    c.pid = fork();
    assert_true(c.pid >= 0);
    if (c.pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execv(command, arguments);
        _exit(127);
    }
    close(ends[1]);
    FILE* from = fdopen(ends[0], "r");
    assert_non_null(from);
    c.port = portIn(from, "http://127.0.0.1:");
    if (service) c.servicePort = portIn(from, "ws://127.0.0.1:");
    fclose(from);
    return c;
}

static void endServer(const Child* c)
{
    int status;
    kill(c->pid, SIGINT);
    assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void ask(int port, const char* path, char* text, size_t size)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    char request[256];
    size_t used = 0;
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr*)&to, sizeof to), 0);
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
    assert_true(send(fd, request, strlen(request), MSG_NOSIGNAL) > 0);
    for (ssize_t n; used < size - 1 && (n = recv(fd, text + used, size - 1 - used, 0)) > 0;) {
        used += (size_t)n;
    }
    text[used] = '\0';
    close(fd);
}

// The scene is open at once, and has no session: nobody could run it again.
static void aSceneWithADeviceIsServed(void** state)
{
    static char text[textSize];
    char* arguments[] = {
        command,         "serve", "wall", "--port", "0", "--device", "stick=force-dimension",
        "--device-rate", "2000",  NULL};
    (void)state;
    setenv("PALP_LIBDRD", PALP_EMULATED_DRD, 1);
    const Child c = startServer(arguments, false);
    ask(c.port, "/api/session/wall", text, sizeof text);
    expectIn(text, "it cannot be run again");
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
