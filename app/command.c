// The command line: verbs, their help, and how options are read.
#include "app.h"

#include "base/base.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int printVersion(const plArguments* a)
{
    (void)a;
    printf("palp %s\n", plVersion());
    return pl_exitOk;
}

static const plVerb versionVerb = {
    .name = "version", .operands = "", .summary = "print the version", .run = printVersion};

static const plVerb* const verbs[] = {&plRunVerb,   &plCheckVerb,  &plListVerb,   &plReplayVerb,
                                      &plPlotVerb,  &plFigureVerb, &plSolveVerb,  &plPassivityVerb,
                                      &plSweepVerb, &plServeVerb,  &plDoctorVerb, &plSchemaVerb,
                                      &versionVerb};

int plComplain(int exitCode, const char* format, ...)
{
    va_list arguments;
    fflush(stdout); // what came before stays before
    fputs("palp: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return exitCode;
}

const char* plDidYouMean(const char* word, const char* const* names, int count, char* text,
                         size_t size)
{
    const char* near = plText_Nearest(word, names, count);
    text[0] = '\0';
    if (near) snprintf(text, size, "; did you mean \"%s\"?", near);
    return text;
}

// ----------------------------------------------------------------------------------- options

static int unknownOption(const plVerb* verb, const char* word)
{
    enum { most = 32 };
    const char* names[most];
    char hint[64];
    int count = 0;
    PL_ASSERT(verb->optionCount < most);
    for (int i = 0; i < verb->optionCount; ++i) names[count++] = verb->options[i].name;
    names[count++] = "--help";
    plDidYouMean(word, names, count, hint, sizeof hint);
    return plComplain(pl_exitInput, "%s has no option \"%s\"%s", verb->name, word,
                      hint[0] ? hint : "; palp VERB --help lists them");
}

/// The option that `word` names, alone or with "=value" behind it.
static const plOption* findOption(const plVerb* verb, const char* word)
{
    const size_t length = strcspn(word, "=");
    for (int i = 0; i < verb->optionCount; ++i) {
        const char* name = verb->options[i].name;
        if (strlen(name) == length && strncmp(word, name, length) == 0) return &verb->options[i];
    }
    return NULL;
}

/// "[N]": a number may follow, or not.
static bool isOptional(const plOption* option) { return option->value[0] == '['; }

/// Takes one option at `arguments[0]`; `*used` becomes how many words it took.
static int takeOption(plArguments* a, int count, char** arguments, int* used)
{
    const char* word = arguments[0];
    const plOption* option = findOption(a->verb, word);
    const char* equals = strchr(word, '=');
    const char* value = NULL;
    *used = 1;
    if (!option) return unknownOption(a->verb, word);
    if (!option->value && equals)
        return plComplain(pl_exitInput, "%s takes no value, found \"%s\"", option->name, word);
    if (option->value && equals) {
        value = equals + 1;
    } else if (option->value && isOptional(option)) {
        const bool follows = count > 1 && isdigit((unsigned char)arguments[1][0]);
        value = follows ? arguments[1] : NULL;
        *used = follows ? 2 : 1;
    } else if (option->value) {
        if (count < 2)
            return plComplain(pl_exitInput, "%s needs a value: %s %s", option->name, option->name,
                              option->value);
        value = arguments[1];
        *used = 2;
    }
    a->given[a->givenCount++] = (struct plGiven){option, value};
    return pl_exitOk;
}

static int checkOperands(const plArguments* a)
{
    const plVerb* verb = a->verb;
    if (a->operandCount < verb->fewest)
        return plComplain(pl_exitInput, "usage: palp %s %s", verb->name, verb->operands);
    if (a->operandCount > 0 && verb->most == 0)
        return plComplain(pl_exitInput, "%s takes no operand, found \"%s\"", verb->name,
                          a->operands[0]);
    if (a->operandCount > verb->most)
        return plComplain(pl_exitInput, "%s takes at most %d operand%s, found \"%s\" too",
                          verb->name, verb->most, verb->most == 1 ? "" : "s",
                          a->operands[verb->most]);
    return pl_exitOk;
}

int plArguments_Parse(plArguments* a, const plVerb* verb, int count, char** arguments)
{
    const size_t room = (size_t)count + 1;
    *a = (plArguments){.verb = verb,
                       .operands = calloc(room, sizeof *a->operands),
                       .given = calloc(room, sizeof *a->given)};
    if (!a->operands || !a->given) return plComplain(pl_exitInput, "no memory");
    bool plain = false;
    for (int i = 0; i < count;) {
        int used = 1;
        if (!plain && strcmp(arguments[i], "--") == 0) {
            plain = true;
        } else if (plain || arguments[i][0] != '-' || arguments[i][1] == '\0') {
            a->operands[a->operandCount++] = arguments[i];
        } else {
            const int code = takeOption(a, count - i, arguments + i, &used);
            if (code != pl_exitOk) return code;
        }
        i += used;
    }
    return checkOperands(a);
}

void plArguments_Free(plArguments* a)
{
    free(a->operands);
    free(a->given);
    *a = (plArguments){0};
}

const char* plArguments_Value(const plArguments* a, const char* option)
{
    for (int i = a->givenCount - 1; i >= 0; --i)
        if (strcmp(a->given[i].option->name, option) == 0) return a->given[i].value;
    return NULL;
}

bool plArguments_Has(const plArguments* a, const char* option)
{
    for (int i = 0; i < a->givenCount; ++i)
        if (strcmp(a->given[i].option->name, option) == 0) return true;
    return false;
}

// -------------------------------------------------------------------------------------- help

static void printHelp(void)
{
    printf("palp %s: haptic rendering and interactive simulation\n\n", plVersion());
    for (int i = 0; i < PL_COUNT(verbs); ++i)
        printf("  palp %-9s %-18s %s\n", verbs[i]->name, verbs[i]->operands, verbs[i]->summary);
    printf("\npalp VERB --help tells more of one.\n"
           "A SCENE is a path, or the name of a scene of the gallery (palp list).\n\n"
           "Exit codes: 0 ok, 1 a figure's claim failed or a solution was refused, 2 bad usage or "
           "input,\n"
           "3 a replay differs, 4 output cannot be written, 130 interrupted.\n");
}

static void printVerbHelp(const plVerb* verb)
{
    printf("usage: palp %s%s%s%s\n%s\n", verb->name, verb->operands[0] ? " " : "", verb->operands,
           verb->optionCount > 0 ? " [options]" : "", verb->summary);
    if (verb->details) printf("\n%s", verb->details);
    if (verb->optionCount > 0) putchar('\n');
    for (int i = 0; i < verb->optionCount; ++i) {
        char name[48];
        const plOption* option = &verb->options[i];
        snprintf(name, sizeof name, "%s %s", option->name, option->value ? option->value : "");
        printf("  %-19s %s\n", name, option->help);
    }
}

static bool isHelp(const char* word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool wantsHelp(int count, char** arguments)
{
    for (int i = 0; i < count && strcmp(arguments[i], "--") != 0; ++i)
        if (isHelp(arguments[i])) return true;
    return false;
}

// --------------------------------------------------------------------------------- the verbs

static int unknownVerb(const char* word)
{
    const char* names[PL_COUNT(verbs) + 1] = {"--help"};
    char hint[64];
    for (int i = 0; i < PL_COUNT(verbs); ++i) names[i + 1] = verbs[i]->name;
    plDidYouMean(word, names, PL_COUNT(names), hint, sizeof hint);
    return plComplain(pl_exitInput, "there is no verb \"%s\"%s", word,
                      hint[0] ? hint : "; palp --help lists them");
}

static int runVerb(const plVerb* verb, int count, char** arguments)
{
    plArguments a;
    if (wantsHelp(count, arguments)) {
        printVerbHelp(verb);
        return pl_exitOk;
    }
    int code = plArguments_Parse(&a, verb, count, arguments);
    if (code == pl_exitOk) code = verb->run(&a);
    plArguments_Free(&a);
    return code;
}

static int dispatch(int count, char** arguments)
{
    if (count < 2) return plComplain(pl_exitInput, "a verb is missing; palp --help lists them");
    const char* word = arguments[1];
    if (isHelp(word) || strcmp(word, "help") == 0) {
        printHelp();
        return pl_exitOk;
    }
    if (strcmp(word, "--version") == 0) return runVerb(&versionVerb, count - 2, arguments + 2);
    for (int i = 0; i < PL_COUNT(verbs); ++i)
        if (strcmp(word, verbs[i]->name) == 0) return runVerb(verbs[i], count - 2, arguments + 2);
    return unknownVerb(word);
}

int plMain(int count, char** arguments)
{
    const int code = dispatch(count, arguments);
    const bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (written || code != pl_exitOk) return code;
    return plComplain(pl_exitOutput, "standard output cannot be written");
}
