#define _POSIX_C_SOURCE 200809L

#include "gnuplot.h"

#include "app.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static bool endsWith(const char* text, const char* end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length > size && strcmp(text + length - size, end) == 0;
}

bool plGnuplot_Draws(const char* path) { return endsWith(path, ".svg") || endsWith(path, ".png"); }

void plGnuplot_PutQuoted(FILE* pipe, const char* text)
{
    fputc('\'', pipe);
    for (; *text; ++text) {
        if (*text == '\'') fputc('\'', pipe);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, pipe);
    }
    fputc('\'', pipe);
}

void plGnuplot_PutLabel(FILE* pipe, const char* what, const char* text)
{
    fprintf(pipe, "set %s ", what);
    plGnuplot_PutQuoted(pipe, text);
    fputs(" noenhanced\n", pipe);
}

void plGnuplot_PutUnit(FILE* pipe, const char* what, const char* text, const char* unit)
{
    char label[512];
    snprintf(label, sizeof label, unit[0] ? "%.300s [%.100s]" : "%.300s", text, unit);
    plGnuplot_PutLabel(pipe, what, label);
}

static const char look[] = "set border 3 back lc rgb '#555555'\n"
                           "set tics nomirror out scale 0.6 textcolor rgb '#333333'\n"
                           "set key tmargin right horizontal noautotitle\n"
                           "set format '%.5g'\n";

plGnuplot plGnuplot_Open(const char* path, int width, int height)
{
    plGnuplot g = {.path = path};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &g.before); // a gnuplot that dies early is seen by its exit code
    fflush(NULL);
    g.pipe = popen("exec gnuplot 2>/dev/null", "w");
    if (!g.pipe) return g;
    if (endsWith(path, ".svg"))
        fprintf(g.pipe,
                "set terminal svg size %d,%d dynamic background rgb 'white' font 'Helvetica,13'\n",
                width, height);
    else
        fprintf(g.pipe,
                "set terminal pngcairo size %d,%d background rgb 'white' font 'Helvetica,18'\n",
                3 * width / 2, 3 * height / 2);
    fputs("set encoding utf8\nset output ", g.pipe);
    plGnuplot_PutQuoted(g.pipe, path);
    fputc('\n', g.pipe);
    fputs(look, g.pipe);
    return g;
}

int plGnuplot_Close(plGnuplot* g)
{
    enum { noCommand = 127 };
    bool put = g->pipe != NULL;
    if (put) {
        fputs("\nunset output\n", g->pipe);
        put = !ferror(g->pipe);
    }
    const int status = g->pipe ? pclose(g->pipe) : -1;
    sigaction(SIGPIPE, &g->before, NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == noCommand)
        return plComplain(pl_exitOutput, "%s is not drawn, because gnuplot is not installed",
                          g->path);
    if (put && WIFEXITED(status) && WEXITSTATUS(status) == 0) return pl_exitOk;
    return plComplain(pl_exitOutput, "gnuplot could not draw %s", g->path);
}
