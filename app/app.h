// app: the palp command, one file per verb.
//   in    the command line
//   out   one exit code, one sentence on standard error when it is not 0
#ifndef PL_APP_H
#define PL_APP_H

#include "palp/palp.h"

#include <signal.h>

/// What the command answers to the shell.
enum {
    pl_exitOk = 0,
    pl_exitClaim = 1, ///< a claim of a figure does not hold, or the judge refuses a solution
    pl_exitInput = 2, ///< bad usage or input
    pl_exitDiffers = 3,
    pl_exitOutput = 4, ///< something could not be written
    pl_exitInterrupted = 130
};

/// An option of a verb. `value` names what follows it; null: nothing does.
typedef struct {
    const char* name; ///< "--time"
    const char* value;
    const char* help;
} plOption;

typedef struct plArguments plArguments;

typedef struct {
    const char* name;
    const char* operands; ///< as in the usage line, "[SCENE]"
    const char* summary;
    const char* details; ///< further lines of its help, or null
    int fewest, most;    ///< operands
    int optionCount;
    const plOption* options;
    int (*run)(const plArguments*); ///< an exit code
} plVerb;

/// A command line taken apart, option by option, in its order.
struct plArguments {
    const plVerb* verb;
    int operandCount;
    const char** operands;
    int givenCount;
    struct plGiven {
        const plOption* option;
        const char* value; ///< null for one without
    } * given;
};

/// `arguments` behind the verb. Returns pl_exitOk, or complains. Free in either case.
int plArguments_Parse(plArguments*, const plVerb*, int count, char** arguments);
void plArguments_Free(plArguments*);

bool plArguments_Has(const plArguments*, const char* option);
const char* plArguments_Value(const plArguments*, const char* option); ///< the last one, or null

/// "palp: ..." on standard error; returns the exit code.
int plComplain(int exitCode, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// "; did you mean "cone"?" for a word that is near one of the names, else "".
const char* plDidYouMean(const char* word, const char* const* names, int count, char* text,
                         size_t size);

extern const plVerb plRunVerb, plCheckVerb, plListVerb, plReplayVerb, plFigureVerb, plSolveVerb,
    plPlotVerb, plPassivityVerb, plSweepVerb, plServeVerb, plDoctorVerb, plSchemaVerb;

/// Everything but main(): finds the verb, runs it, answers with its exit code.
int plMain(int count, char** arguments);

// --- what verbs share

/// A scene and the world that it describes.
typedef struct {
    plScene* scene;
    plWorld* world;
} plOpened;

/// The scene `name` (a path, or one of the gallery) with the settings of the command line: --set,
/// then --time, --step, --law, --integrator, which win. Complains; close in either case.
int plOpen(const plArguments*, const char* name, plOpened*);
void plClose(plOpened*);

/// A note on standard error when a law was chosen, by --law or in the scene, that nothing obeys.
void plNoteLaw(const plArguments*, const plOpened*);
/// Warns of what is known to go wrong with devices and couplings.
void plAdvise(const plWorld*);

/// False, with a sentence, when a run would have more than 1e12 steps: some weeks of the fastest ones.
/// A run beyond that is a slip of the pen, and one whose time no longer changes by a step would not
/// end at all.
bool plCourse_Check(const plScene*, char* message, size_t size);

/// Has the run come to the scene's time? Constant steps are counted, because a sum of many of them is
/// off by some; random ones are summed, and stop within a thousandth of a step.
bool plCourse_IsOver(const plOpened*, const plStepper*);

/// From now on the signal only sets the flag; a second one ends the process at once, should the first
/// one not be answered.
void plCourse_Listen(int signal);
const volatile sig_atomic_t* plCourse_Interrupted(void);

enum { plChannelNameSize = 128 };

/// The names of channels to record, and where to read them.
typedef struct {
    int count;
    char (*names)[plChannelNameSize];
    plChannel* channels;
} plChannelList;

/// From "a,b,c", "all", or null: what the scene asks for. Complains; free in either case.
int plChannelList_Make(plChannelList*, const plOpened*, const char* list);
void plChannelList_Free(plChannelList*);

/// How far a run is, on standard error: a line that renews itself on a terminal, else a line now
/// and then.
typedef struct {
    double total;       ///< simulated time of the whole run [s]
    double start, last; ///< [s]
    double period;      ///< between two lines [s]
    bool terminal, shown;
} plProgress;

/// `total` of the run, in simulated seconds, or 1 for plProgress_Share.
plProgress plProgress_Start(double total);
/// The same for work that is no run: how much of it is done, of 1.
void plProgress_Share(plProgress*, double share);
void plProgress_Tick(plProgress*, double simulated);
void plProgress_End(plProgress*);

#endif
