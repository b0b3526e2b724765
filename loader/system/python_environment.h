// Where a Python environment keeps its packages, told from its files: Python is not run.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace myops::system {

// The environment's `python3`: $VIRTUAL_ENV/bin/python3, else the first on PATH; not resolved. "" where there is none.
std::string python_on_path();

// Folders that `import` would look for packages in, in order, for the interpreter `executable` (as it would be called:
// a virtual environment is known by the path, not by what it links to). PYTHONPATH, user site, site-packages, Debian's
// dist-packages, and those of the base where pyvenv.cfg includes them.
std::vector<std::string> package_folders(const std::string& executable);

// The `torch` folder of the first of those folders that holds one.
std::optional<std::string> torch_package(const std::string& executable);

// The interpreter of the environment that the package folder `package` is installed in
// (PREFIX/lib/pythonX.Y/site-packages/torch),
// "" where it lies in none.
std::string python_of_package(const std::string& package);

}  // namespace myops::system
