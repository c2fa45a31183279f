// The palp command: usage, run, check, list.
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include <math.h>
#include <sys/stat.h>

// --------------------------------------------------------------------------------------- usage

static void helpIsOnStandardOutput(void** state)
{
    (void)state;
    run("--help");
    expectCode(0);
    expectIn(answer.out, "palp replay");
    expectIn(answer.out, "130 interrupted");
    assert_string_equal(answer.err, "");
    static const char* const verbs[] = {"run", "check", "list", "replay", "figure", "version"};
    for (int i = 0; i < 6; ++i) {
        char line[64];
        snprintf(line, sizeof line, "%s --help", verbs[i]);
        run(line);
        expectCode(0);
        snprintf(line, sizeof line, "usage: palp %s", verbs[i]);
        expectIn(answer.out, line);
    }
}

static void versionIsThatOfTheLibrary(void** state)
{
    char line[64];
    (void)state;
    run("version");
    expectCode(0);
    snprintf(line, sizeof line, "palp %s\n", plVersion());
    assert_string_equal(answer.out, line);
    run("version foo");
    expectComplaint(2, "version takes no operand, found \"foo\"");
}

static void mistypedWordsAreSuggested(void** state)
{
    (void)state;
    run("");
    expectComplaint(2, "a verb is missing");
    run("rum");
    expectComplaint(2, "did you mean \"run\"?");
    run("run --recrod x.csv");
    expectComplaint(2, "did you mean \"--record\"?");
    run("run --integrator simplectic");
    expectComplaint(2, "did you mean \"symplectic\"?");
    run("run --law con");
    expectComplaint(2, "did you mean \"cone\"?");
    run("run amr");
    expectComplaint(2, "there is no scene \"amr\"");
    run("run oscilator");
    expectComplaint(2, "did you mean \"oscillator\"?");
    run("figure pmi-40");
    expectComplaint(2, "there is no figure \"pmi-40\"");
    run("run --record - --channels time,enrgy");
    expectComplaint(2, "did you mean \"energy\"?");
}

static void badUsageIsRefused(void** state)
{
    (void)state;
    run("run arm oscillator");
    expectComplaint(2, "at most 1 operand");
    run("run --time");
    expectComplaint(2, "--time needs a value");
    run("run --time -1");
    expectComplaint(2, "--time takes a number of seconds above 0");
    run("run --time nan");
    expectComplaint(2, "--time takes a number of seconds above 0");
    run("run --progress=yes");
    expectComplaint(2, "--progress takes no value");
    run("run --channels time");
    expectComplaint(2, "--channels needs --record");
    run("run --record trace.txt");
    expectComplaint(2, ".csv or .h5");
    run("replay");
    expectComplaint(2, "usage: palp replay FILE");
    run("run --step 1e-300 --time 1");
    expectComplaint(2, "1 s in steps of 1e-300 s are more than 1e12 steps");
}

static void onlyRegularFilesAreScenes(void** state)
{
    char line[pathSize];
    (void)state;
    assert_int_equal(mkfifo(inFolder("pipe.json"), 0600), 0);
    snprintf(line, sizeof line, "run %s", inFolder("pipe.json"));
    run(line);
    expectComplaint(2, "pipe.json: the file cannot be read: not a regular file");
    run("check scenes/");
    expectComplaint(2, "scenes/: the file cannot be read: not a regular file");
}

// ----------------------------------------------------------------------------------------- run

/// The last line of a text.
static const char* lastLine(const char* text)
{
    const char* line = text;
    for (const char* at = text; *at; ++at) {
        if (at[0] == '\n' && at[1]) line = at + 1;
    }
    return line;
}

static void runEndsWithItsLine(void** state)
{
    int steps;
    double simulated, wall, residual;
    char hash[17];
    (void)state;
    run("run arm --time 0.5 --step 0.001");
    expectCode(0);
    assert_string_equal(answer.err, "");
    assert_int_equal(sscanf(lastLine(answer.out),
                            "steps %d  simulated %lf s  wall %lf s  residual %lf J  hash %16s",
                            &steps, &simulated, &wall, &residual, hash),
                     5);
    assert_int_equal(steps, 500);
    assert_true(simulated == 0.5);
    // 500 roundings of an energy of 8.75 J are below 1e-12 J.
    assert_true(fabs(residual) < 1e-12);
    assert_int_equal(strspn(hash, "0123456789abcdef"), 16);
}

/// The number that follows some words of the summary.
static double numberAfter(const char* words)
{
    const char* at = strstr(answer.out, words);
    if (!at) fail_msg("no \"%s\" in:\n%s", words, answer.out);
    return at ? strtod(at + strlen(words), NULL) : 0;
}

// A cube of 1 kg falls from 0.5 m, its centre to 0.05 m, and rests on 4 corners.
static void aSummaryTellsEnergyForcesAndContacts(void** state)
{
    (void)state;
    run("run box");
    expectCode(0);
    const double start = 9.81 * 0.5, end = 9.81 * 0.05;
    assert_true(fabs(numberAfter("energy     ") - start) < 1e-5);
    assert_true(fabs(numberAfter("J at the start, ") - end) < 1e-5);
    assert_true(numberAfter("created    ") == 0);
    assert_true(fabs(numberAfter("lost       ") - (start - end)) < 1e-3);
    assert_true(fabs(numberAfter(": contacts ") - (start - end)) < 1e-3);
    assert_true(numberAfter("largest of a contact ") > 9.81);
    expectIn(answer.out, "N (the ground on box) at 0.");
    expectIn(answer.out, "contacts   at most 4 at a time, in ");
    expectIn(answer.out, " of 5000 steps; deepest ");
    expectIn(answer.out, "trouble    none\n");
    run("run wall --time 1");
    expectIn(answer.out, "largest on a hand ");
    expectIn(answer.out, "N (stick) at ");
}

// An explicit integrator creates energy, and stands as the owner of it.
static void aSummaryNamesWhoCreatedEnergy(void** state)
{
    (void)state;
    run("run arm --time 1 --integrator explicit");
    expectCode(0);
    const double start = numberAfter("energy     "), end = numberAfter("J at the start, ");
    assert_true(end > 1.001 * start);
    assert_true(fabs(numberAfter("created    ") - (end - start)) < 1e-3 * (end - start));
    expectIn(answer.out, " J: arm ");
    expectIn(answer.out, "lost       0 J\n");
    assert_null(strstr(answer.out, "contacts   at most"));
    run("run oscillator-stiff --integrator explicit");
    expectIn(answer.out, "\ntrouble    in ");
    expectIn(answer.out, " of 1000 steps\n");
}

static void defaultSceneIsTheArm(void** state)
{
    char hash[17];
    (void)state;
    run("run --time 0.1");
    expectCode(0);
    snprintf(hash, sizeof hash, "%s", hashOf(answer.out));
    run("run arm --time=0.1");
    assert_string_equal(hashOf(answer.out), hash);
}

static void aStepThatDoesNotDivideTheTimeGoesBeyondIt(void** state)
{
    (void)state;
    run("run arm --time 1 --step 0.3");
    expectCode(0);
    expectIn(answer.out, "steps 4  simulated 1.2 s");
}

static void integratorReachesMechanismsWithTheirOwn(void** state)
{
    char hash[17], line[pathSize];
    (void)state;
    run("run arm --time 0.1 --integrator explicit");
    expectCode(0);
    snprintf(hash, sizeof hash, "%s", hashOf(answer.out));
    run("run arm --time 0.1");
    assert_string_not_equal(hashOf(answer.out), hash);
    run("run arm --time 0.1 --set mechanisms.arm.integrator=implicit --integrator explicit");
    assert_string_equal(hashOf(answer.out), hash);
    snprintf(line, sizeof line,
             "run arm --time 0.1 --integrator explicit --record %s "
             "--channels integrator",
             inFolder("gain.csv"));
    run(line);
    expectCode(0);
}

static void lawIsSaidToHaveNoEffectWithoutContacts(void** state)
{
    (void)state;
    run("run arm --time 0.01 --law lcp");
    expectCode(0);
    assert_string_equal(answer.err,
                        "palp: note: --law has no effect on a scene without contacts\n");
    run("run arm --time 0.01 --set law=lcp");
    expectCode(0);
    assert_string_equal(answer.err,
                        "palp: note: \"law\" has no effect on a scene without contacts\n");
    run("check arm --set law=lcp");
    expectCode(0);
    assert_string_equal(answer.err,
                        "palp: note: \"law\" has no effect on a scene without contacts\n");
    run("check arm");
    assert_string_equal(answer.err, "");
}

static void checkWarnsOfWhatHasNoEffect(void** state)
{
    (void)state;
    run("check box --set materials=[{\\\"name\\\":\\\"ice\\\"}]");
    expectCode(0);
    expectIn(answer.out, "\nok\n");
    assert_string_equal(answer.err,
                        "palp: warning: no shape has the material ice: it has no effect\n");
    run("check box --set mechanisms.box.shapes=[]");
    expectCode(0);
    assert_string_equal(answer.err, "palp: warning: box touches nothing: neither it nor anything "
                                    "that is linked to it has a shape\n");
    run("check tap --set couplings.hold.damping=5");
    expectCode(0);
    expectIn(answer.err, "palp: warning: the coupling hold is above the passive limit of stick");
}

static void anEmptyListOfChannelsIsTheScenesDefault(void** state)
{
    (void)state;
    run("run arm --time 0.001 --record - --set record={\\\"channels\\\":[]}");
    expectCode(0);
    expectIn(answer.out, "step,hash,time,step,energy,kinetic,potential\n");
}

static void troubleIsReportedWithItsCount(void** state)
{
    (void)state;
    run("run oscillator-stiff --integrator explicit");
    expectCode(0);
    assert_int_equal(countLines(answer.err), 1);
    expectIn(answer.err, "palp: warning: in ");
    expectIn(answer.err, " of 1000 steps a motion was not finite");
    expectIn(answer.err, "lower the step");
}

static void settingsChangeTheScene(void** state)
{
    char line[pathSize], text[textSize];
    (void)state;
    snprintf(line, sizeof line,
             "run oscillator --time 0.001 --set mechanisms.mass.bodies[0].start=2 "
             "--record %s --channels energy",
             inFolder("two.csv"));
    run(line);
    expectCode(0);
    slurp(inFolder("two.csv"), text);
    const char* row = strchr(text, '\n');
    double energy = 0;
    assert_int_equal(sscanf(row ? row : "", "%*[^,],%*[^,],%lf", &energy), 1);
    // k x^2/2 = 100 N/m (2 m)^2/2; one step moves it by some units of the last place.
    assert_true(fabs(energy - 200) < 1e-11);
    run("run oscillator --set mechanisms.mass.bodies[0].mas=2");
    expectComplaint(2, "mas");
}

static void csvGoesToStandardOutputAndTheLineToStandardError(void** state)
{
    (void)state;
    run("run arm --time 0.01 --record - --channels time,energy");
    expectCode(0);
    assert_int_equal(countLines(answer.out), 11);
    expectIn(answer.out, "time,energy\n");
    expectIn(answer.err, "steps 10  simulated 0.01 s");
}

static void allChannelsAreThoseListed(void** state)
{
    char names[textSize];
    (void)state;
    run("list --channels slider-tie");
    expectCode(0);
    snprintf(names, sizeof names, "%s", answer.out);
    expectIn(names, "tie.force[0]\n");
    run("run slider-tie --time 0.001 --record - --channels all");
    expectCode(0);
    int commas = 0;
    for (const char* at = answer.out; *at != '\n'; ++at) commas += *at == ',';
    // The two columns before the channels are the step and the hash.
    assert_int_equal(commas + 1, countLines(names) + 2);
}

static void aTraceThatCannotBeWrittenGivesFour(void** state)
{
    (void)state;
    run("run arm --time 0.01 --record /nowhere/at/all.csv");
    expectComplaint(4, "/nowhere/at/all.csv cannot be written");
    if (access("/dev/full", W_OK) != 0) skipTest("there is no /dev/full");
    assert_int_equal(symlink("/dev/full", inFolder("full.h5")), 0);
    char line[pathSize];
    snprintf(line, sizeof line, "run arm --time 0.01 --record %s", inFolder("full.h5"));
    run(line);
    expectComplaint(4, "full.h5 cannot be written");
}

// ------------------------------------------------------------------------------ check and list

static void checkSummarisesAScene(void** state)
{
    (void)state;
    run("check slider-tie");
    expectCode(0);
    expectIn(answer.out, "Slider and tie\n");
    expectIn(answer.out, "chain       1 velocity");
    expectIn(answer.out, "assembly    6 velocities");
    expectIn(answer.out, "tie ");
    expectIn(answer.out, "midpoint");
    expectIn(answer.out, "\nok\n");
    assert_null(strstr(answer.out, "guard"));
    run("check scenes/arm.json --set integrator=implicit");
    expectCode(0);
    expectIn(answer.out, "implicit");
}

static void checkSaysWhereTheGuardCannotAct(void** state)
{
    (void)state;
    run("check slider-tie --set integrator=implicit --set links[0].form=implicit");
    expectCode(0);
    expectIn(answer.out, "  guard is on, but cannot act on the groups of ");
    expectIn(answer.out, ", tie (not midpoint, or implicit)\n");
    run("check slider-tie --set integrator=implicit --set guard=false");
    expectCode(0);
    assert_null(strstr(answer.out, "guard"));
}

static void checkSaysWhatIsWrongAndWhere(void** state)
{
    char line[pathSize];
    (void)state;
    spit(inFolder("bad.json"), "{\n  \"mechanisms\": [\n    {\"type\": \"assembly\", \"name\": "
                               "\"b\",\n     \"mass\": -1, \"inertia\": [1, 1, 1]}\n  ]\n}\n");
    snprintf(line, sizeof line, "check %s", inFolder("bad.json"));
    run(line);
    expectComplaint(2, "bad.json:4: mechanisms[0].mass");
    spit(inFolder("bad.json"), "{\"mechanisms\": [");
    run(line);
    expectComplaint(2, "bad.json");
    run("check no/such.json");
    expectComplaint(2, "no/such.json");
}

static void theUsersOwnFolderComesFirst(void** state)
{
    char before[pathSize];
    (void)state;
    run("list");
    expectCode(0);
    expectIn(answer.out, "oscillator-stiff  ");
    assert_null(strstr(answer.out, "schema"));
    spit(inFolder("arm.json"),
         "{\"title\": \"mine\", \"description\": \"an arm of my own\", \"mechanisms\": [{\"type\": "
         "\"assembly\", \"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}]}");
    snprintf(before, sizeof before, "PALP_SCENES=%s", folder);
    runAfter(before, "list");
    expectIn(answer.out, "an arm of my own");
    assert_null(strstr(answer.out, "swinging in the x-y plane"));
    runAfter(before, "check arm");
    expectCode(0);
    expectIn(answer.out, "mine\n");
    remove(inFolder("arm.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helpIsOnStandardOutput),
        cmocka_unit_test(versionIsThatOfTheLibrary),
        cmocka_unit_test(mistypedWordsAreSuggested),
        cmocka_unit_test(badUsageIsRefused),
        cmocka_unit_test(onlyRegularFilesAreScenes),
        cmocka_unit_test(runEndsWithItsLine),
        cmocka_unit_test(aSummaryTellsEnergyForcesAndContacts),
        cmocka_unit_test(aSummaryNamesWhoCreatedEnergy),
        cmocka_unit_test(defaultSceneIsTheArm),
        cmocka_unit_test(aStepThatDoesNotDivideTheTimeGoesBeyondIt),
        cmocka_unit_test(integratorReachesMechanismsWithTheirOwn),
        cmocka_unit_test(lawIsSaidToHaveNoEffectWithoutContacts),
        cmocka_unit_test(checkWarnsOfWhatHasNoEffect),
        cmocka_unit_test(anEmptyListOfChannelsIsTheScenesDefault),
        cmocka_unit_test(troubleIsReportedWithItsCount),
        cmocka_unit_test(settingsChangeTheScene),
        cmocka_unit_test(csvGoesToStandardOutputAndTheLineToStandardError),
        cmocka_unit_test(allChannelsAreThoseListed),
        cmocka_unit_test(aTraceThatCannotBeWrittenGivesFour),
        cmocka_unit_test(checkSummarisesAScene),
        cmocka_unit_test(checkSaysWhereTheGuardCannotAct),
        cmocka_unit_test(checkSaysWhatIsWrongAndWhere),
        cmocka_unit_test(theUsersOwnFolderComesFirst),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
