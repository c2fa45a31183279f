#include "app.h"

int main(int count, char** arguments) { return plCommand(count, arguments); }
