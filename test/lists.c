// Prints what `./dev lists` makes of the lists that are written once: lists js, lists python, lists md.
#include "palp/palp.h"
#include "serve/wire.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name, *word, *what, *source;
    int number;
    bool shown;
} Entry;

#define END                                                                                        \
    {                                                                                              \
        .name = NULL                                                                               \
    }

#define X(name, bit, shown, what, mend) {#name, NULL, what, mend, bit, shown},
static const Entry troubles[] = {PL_TROUBLE_LIST(X) END};
#undef X
#define X(name, word, what, source) {#name, word, what, source, pl_law##name, true},
static const Entry laws[] = {PL_LAW_LIST(X) END};
#undef X
#define X(name, word, what) {#name, word, what, NULL, pl_integrator##name, true},
static const Entry integrators[] = {PL_INTEGRATOR_LIST(X) END};
#undef X
#define X(name, word, reads) {#name, word, reads, NULL, pl_command##name, true},
static const Entry commands[] = {PL_COMMAND_LIST(X) END};
#undef X
#define X(name, value, what) {#name, #name, what, NULL, 0, true},
static const Entry numbers[] = {PL_PICTURE_NUMBERS(X) END};
#undef X
#define X(name, value) {#name, #name, "", NULL, 0, true},
static const Entry world[] = {PL_WORLD_ACCOUNT(X) END};
static const Entry devices[] = {PL_DEVICE_ACCOUNT(X) END};
static const Entry couplings[] = {PL_COUPLING_ACCOUNT(X) END};
static const Entry mechanisms[] = {PL_MECHANISM_ACCOUNT(X) END};
static const Entry links[] = {PL_LINK_ACCOUNT(X) END};
#undef X
#define X(name, word) {#name, #word, "", NULL, 0, true},
static const Entry fromServer[] = {PL_SERVER_MESSAGES(X) END};
static const Entry fromClients[] = {PL_CLIENT_MESSAGES(X) END};
#undef X

static const struct {
    const char* name;
    const Entry* list;
} accounts[] = {
    {"devices", devices}, {"couplings", couplings}, {"mechanisms", mechanisms}, {"links", links}};
enum { accountCount = sizeof accounts / sizeof accounts[0] };

static const char note[] = "Made by ./dev lists of include/palp/lists.h and src/serve/wire.h.";

// --- JavaScript

// let-go becomes letGo.
static void printCamel(const char* word)
{
    for (const char* c = word; *c; ++c) {
        if (*c == '-' && c[1]) {
            putchar(*++c - 'a' + 'A');
        } else {
            putchar(*c);
        }
    }
}

static void printWords(const char* begin, const Entry* list, const char* end)
{
    fputs(begin, stdout);
    for (int i = 0; list[i].name; ++i) {
        printf("%s%s'%s'", i ? "," : "",
               i == 0       ? "\n    "
               : i % 6 == 0 ? "\n    "
                            : " ",
               list[i].word);
    }
    fputs(end, stdout);
}

static void printNumbered(const char* name, const Entry* list, int first)
{
    printf("\nexport const %s = {", name);
    for (int i = 0; list[i].name; ++i) {
        fputs(i % 6 == 0 ? "\n    " : " ", stdout);
        printCamel(list[i].word);
        printf(": %d,", first + i);
    }
    fputs("\n};\n", stdout);
}

static void printJs(void)
{
    printf("// %s\n\n/// Bits of a step's report: bit, whether it is a fault, what happened, what "
           "to change.\n"
           "export const troubles = [\n",
           note);
    for (const Entry* e = troubles; e->name; ++e) {
        printf("    [%d, %s,\n        '%s',\n        '%s'],\n", e->number,
               e->shown ? "true" : "false", e->what, e->source);
    }
    fputs("];\n", stdout);
    printWords("\nexport const lawNames = [", laws, ",\n];\n");
    printWords("\nexport const integratorNames = [", integrators, ",\n];\n");
    printNumbered("command", commands, 0);
    printWords("\n/// Of a picture, in the order of the wire.\nexport const pictureNumbers = [",
               numbers, ",\n];\n");
    printWords("\n/// Of the accounts of the world, in the order of the wire.\nexport const "
               "worldNumbers = [",
               world, ",\n];\n");
    fputs("\n/// Of each device, coupling, mechanism and link.\nexport const accountNumbers = {\n",
          stdout);
    for (int k = 0; k < accountCount; ++k) {
        printf("    %s: [", accounts[k].name);
        for (const Entry* e = accounts[k].list; e->name; ++e) {
            printf("%s'%s'", e == accounts[k].list ? "" : ", ", e->word);
        }
        fputs("],\n", stdout);
    }
    fputs("};\n", stdout);
    printNumbered("fromServer", fromServer, 1);
    printNumbered("fromClient", fromClients, 0);
}

// --- Python

static void printPython(void)
{
    printf("# %s\n\n#: Bits of a step's trouble: value, name in C, what happened and what to "
           "change.\nTROUBLES = (\n",
           note);
    for (const Entry* e = troubles; e->name; ++e) {
        printf("    (%d, \"%s\",\n     \"%s: \"\n     \"%s\"),\n", e->number, e->name, e->what,
               e->source);
    }
    fputs(")\n", stdout);
    const struct {
        const char *title, *name;
        const Entry* list;
    } all[] = {{"Contact laws", "LAWS", laws}, {"Integrators", "INTEGRATORS", integrators}};
    for (int k = 0; k < 2; ++k) {
        printf("\n#: %s, in the order of their indices.\n%s = (", all[k].title, all[k].name);
        for (const Entry* e = all[k].list; e->name; ++e) {
            printf("%s\"%s\"", e == all[k].list ? "" : ", ", e->word);
        }
        fputs(")\n", stdout);
    }
}

// --- Markdown

static void printTable(const char* title, const char* head, const Entry* list, int first)
{
    printf("\n## %s\n\n%s\n", title, head);
    for (int i = 0; list[i].name; ++i) {
        const Entry* e = &list[i];
        printf("| %d | %s | %s%s%s |\n", first < 0 ? e->number : first + i,
               e->word ? e->word : e->name, e->what, e->source ? " | " : "",
               e->source ? e->source : "");
    }
}

static void printMd(void)
{
    printf("# Lists\n\n%s\nThe command, the page, Python and this page have them from there.\n",
           note);
    printTable("Trouble of a tick",
               "Bits of `plStepReport.trouble`. The step goes on in any case.\n\n"
               "| bit | name | what happened | what to change |\n| --- | --- | --- | --- |",
               troubles, -1);
    printTable("Contact laws", "| | name | | from |\n| --- | --- | --- | --- |", laws, -1);
    printTable("Integrators", "| | name | |\n| --- | --- | --- |", integrators, -1);
    printTable("Commands",
               "What each reads of a command.\n\n| kind | name | reads |\n| --- | --- | --- |",
               commands, -1);
    printTable("Numbers of a picture",
               "Type 1 of [the protocol](protocol.md), from byte 8 on, 8 bytes each.\n\n| | name | "
               "|\n| --- | --- | --- |",
               numbers, 0);
    printf("\n## Numbers of the accounts\n\nType 4 of [the protocol](protocol.md).\n\n| of | "
           "numbers [J] |\n| --- | --- |\n| the world | ");
    for (const Entry* e = world; e->name; ++e) printf("%s%s", e == world ? "" : ", ", e->word);
    fputs(" |\n", stdout);
    for (int k = 0; k < accountCount; ++k) {
        printf("| %s | ", accounts[k].name);
        for (const Entry* e = accounts[k].list; e->name; ++e) {
            printf("%s%s", e == accounts[k].list ? "" : ", ", e->word);
        }
        fputs(" |\n", stdout);
    }
}

int main(int argc, char** argv)
{
    const char* as = argc == 2 ? argv[1] : "";
    if (strcmp(as, "js") == 0) {
        printJs();
    } else if (strcmp(as, "python") == 0) {
        printPython();
    } else if (strcmp(as, "md") == 0) {
        printMd();
    } else {
        fputs("usage: lists js | python | md\n", stderr);
        return 2;
    }
    return 0;
}
