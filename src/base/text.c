#include "base/base.h"

#include <ctype.h>
#include <string.h>

// Longer words are not names that somebody mistyped.
enum { longest = 63 };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int least(int a, int b) { return a < b ? a : b; }

// Fewest insertions, deletions and replacements of bytes, upper and lower case alike
// (Wagner, Fischer 1974, with one row of the table).
static int editDistance(const char* a, int na, const char* b, int nb)
{
    int row[longest + 1];
    for (int j = 0; j <= nb; j++) row[j] = j;
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            diagonal = row[j];
            row[j] = least(replaced, 1 + least(row[j], row[j - 1]));
        }
    }
    return row[nb];
}

// Near: at most one edit for each three letters of the longer of the two.
const char* plText_Nearest(const char* word, const char* const* names, int count)
{
    size_t wordLength = strlen(word);
    if (wordLength > longest) return NULL;

    const char* nearest = NULL;
    int nearestDistance = longest + 1;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        if (length > longest) continue;
        int distance = editDistance(word, (int)wordLength, names[i], (int)length);
        int limit = (int)(length > wordLength ? length : wordLength) / 3;
        if (distance <= limit && distance < nearestDistance) {
            nearest = names[i];
            nearestDistance = distance;
        }
    }
    return nearest;
}

bool plText_IsName(const char* text)
{
    if (!text) return false;
    const size_t length = strlen(text);
    if (length < 1 || length > 31) return false;
    for (size_t i = 0; i < length; ++i) {
        if (!isalnum((unsigned char)text[i]) && text[i] != '-' && text[i] != '_') return false;
    }
    return true;
}
