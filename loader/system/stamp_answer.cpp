#include "loader/system/stamp_answer.h"

#include <string>

#include "loader/printable.h"
#include "loader/system/option_reader.h"
#include "loader/system/stamp.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

Result<StampOptions> read_options(std::string_view text) {
  auto reader = OptionReader::parse(text);
  if (!reader) return reader.error();
  StampOptions options;
  int timeout = static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(options.time_limit).count());
  reader->read("file", options.file);
  reader->read("output", options.output);
  reader->read("schema", options.schema);
  reader->read("from", options.from);
  reader->read("torch", options.torch_dir);
  reader->read("name", options.name);
  reader->read("version", options.version);
  reader->read("namespace", options.op_namespace);
  reader->read("set", options.set);
  reader->read("level", options.level);
  reader->read("cuda_runtime", options.cuda_runtime);
  reader->read("helper", options.measure_command);
  reader->read("timeout", timeout);
  if (const auto error = reader->error()) return *error;
  if (options.file.empty()) return Reason{Code::kBadOption, "file", "the plugin to stamp", "none", ""};
  if (!options.schema.empty() && !options.from.empty()) {
    return Reason{Code::kBadOption, "from", "either schema or from", "both", ""};
  }
  if (!options.measure_command.empty()) options.measure_command.emplace_back("measure");
  if (options.torch_dir.empty()) options.torch_dir = variable("MYOPS_TORCH").value_or("");
  options.time_limit = std::chrono::seconds(timeout);
  return options;
}

}  // namespace

Result<Answer> stamp_answer(std::string_view text) {
  const auto options = read_options(text);
  if (!options) return options.error();
  const auto stamped = stamp(*options);
  if (!stamped) return error_answer(stamped.error(), kCannotLoad);
  Answer answer;
  answer.json["format"] = 1;
  answer.json["file"] = stamped->file;
  answer.json["bytes"] = stamped->bytes;
  answer.json["reserved"] = stamped->reserved;
  std::string words = printable(stamped->file) + ": manifest of " + std::to_string(stamped->bytes) + " bytes in " +
                      std::to_string(stamped->reserved) + "\n";
  answer.json["text"] = words;
  return answer;
}

}  // namespace myops::system
