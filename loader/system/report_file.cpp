#include "loader/system/report_file.h"

#include "loader/system/file_bytes.h"
#include "loader/system/written_file.h"

namespace myops::system {

std::optional<std::string> write_report(const std::string& path, const Answer& answer) {
  const int error = write_text(path, dump(answer.json) + "\n");
  if (error == 0) return std::nullopt;
  return "MYOPS_REPORT=" + path + " cannot be written: " + errno_text(error);
}

}  // namespace myops::system
