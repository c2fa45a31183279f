#include "app.h"

int main(int count, char** arguments) { return plMain(count, arguments); }
