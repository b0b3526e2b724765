// The measuring child of stamp_test.cpp, as `myops` is that of the command line.
#include "loader/system/stamp.h"

int main(int count, char** arguments) { return count == 2 ? myops::system::measure_and_print(arguments[1]) : 2; }
