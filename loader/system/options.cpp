#include "loader/system/options.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "loader/rules/cpu_level.h"
#include "loader/rules/listing.h"
#include "loader/rules/report.h"
#include "loader/system/host.h"
#include "loader/system/lock_file.h"
#include "loader/system/log.h"
#include "loader/system/option_reader.h"
#include "loader/system/variables.h"

namespace myops::system {
namespace {

void append_names(std::vector<std::string>& names, VariableName variable_name) {
  for (std::string& name : split_names(variable(variable_name).value_or(""), ',')) names.push_back(std::move(name));
}

std::optional<rules::Explain> explain_named(const std::string& name) {
  if (name == "all") return rules::Explain::kAll;
  if (name == "gradients") return rules::Explain::kGradients;
  if (name == "nothing") return rules::Explain::kNothing;
  return std::nullopt;
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t") == std::string::npos; }

void cap_level(Options& options) {
  const std::string capability = variable("ATEN_CPU_CAPABILITY").value_or("");
  options.request.cpu_cap = rules::level_of_capability(capability);
  if (capability.empty() || !options.request.cpu_cap.empty() || running_arch() != "x86_64") return;
  options.notes.push_back("ATEN_CPU_CAPABILITY=" + capability +
                          " is none of default, avx2 and avx512: torch and the choice of variants pass over it");
}

// A misspelt code must not pass: what it was meant to let through would be refused for a reason that nobody sees.
std::optional<Reason> read_skipped(rules::Request& request) {
  for (const std::string& name : split_names(variable("MYOPS_SKIP_CHECK").value_or(""), ',')) {
    const auto code = code_from_token(name);
    if (!code || !is_skippable(*code)) {
      std::vector<std::string> skippable;
      for (const Code each : all_codes()) {
        if (is_skippable(each)) skippable.emplace_back(token(each));
      }
      return Reason{Code::kBadOption, "MYOPS_SKIP_CHECK", "codes out of " + rules::joined(skippable),
                    "\"" + name + "\"", ""};
    }
    request.skip.push_back(*code);
  }
  return std::nullopt;
}

void merge_environment(Options& options) {
  rules::Request& request = options.request;
  if (request.torch_dir.empty() && !options.host_torch) request.torch_dir = variable("MYOPS_TORCH").value_or("");
  append_names(request.require, "MYOPS_REQUIRE");
  append_names(request.disable, "MYOPS_DISABLE");
  // What torch is told here is nothing that another machine knows of.
  if (!options.host) cap_level(options);
  const std::string log = variable("MYOPS_LOG").value_or("");
  if (!is_log_setting(log)) {
    options.notes.push_back("MYOPS_LOG=" + log +
                            " is none of error, warn, plan and off: warnings and errors are shown");
  }
  options.report_file = variable("MYOPS_REPORT").value_or("");
  request.strict = request.strict || ::getauxval(AT_SECURE) != 0;
  request.user_id = ::geteuid();
}

}  // namespace

Result<Options> parse_options(std::string_view text) {
  auto reader = OptionReader::parse(text);
  if (!reader) return reader.error();
  Options options;
  rules::Request& request = options.request;
  std::string trust = "normal", explain = "all";
  int timeout = static_cast<int>(options.timeout.count());
  reader->read("paths", request.paths);
  reader->read("late_paths", options.late_paths);
  reader->read("torch", request.torch_dir);
  reader->read("require", request.require);
  reader->read("prefer", request.prefer);
  reader->read("disable", request.disable);
  reader->read("allow_incomplete", request.allow_incomplete);
  reader->read("allow_unstamped", request.allow_unstamped);
  reader->read("allow_no_gpu", request.allow_no_gpu);
  reader->read("open_torch", request.open_torch);
  reader->read("lock", options.lock_file);
  reader->read("output", options.output);
  reader->read("quiescent", request.quiescent);
  reader->read("explain_missing", explain);
  reader->read("trust", trust);
  reader->read("files", options.files);
  reader->read("op", options.op);
  reader->read("key", options.key);
  reader->read("helper", options.helper);
  reader->read("timeout", timeout);
  const boost::json::object* host = reader->object("host");
  if (const auto error = reader->error()) return *error;
  if (trust != "normal" && trust != "strict") {
    return Reason{Code::kBadOption, "trust", "\"normal\" or \"strict\"", "\"" + trust + "\"", ""};
  }
  const auto explained = explain_named(explain);
  if (!explained) {
    return Reason{Code::kBadOption, "explain_missing", "\"all\", \"gradients\" or \"nothing\"", "\"" + explain + "\"",
                  ""};
  }
  request.explain = *explained;
  if (host != nullptr) {
    auto facts = rules::host_from_json(*host);
    if (!facts) return facts.error();
    options.host = std::move(*facts);
    auto torch = rules::torch_of_host(*host);
    if (!torch) return torch.error();
    options.host_torch = std::move(*torch);
    for (const std::string& name : rules::unknown_of_host(*host)) {
      options.notes.push_back("the host's \"" + name + "\" is not known, and passed over");
    }
  }
  if (std::any_of(request.require.begin(), request.require.end(), is_blank)) {
    return Reason{Code::kBadOption, "require", "names of dispatch keys", "an empty one", "leave it out"};
  }
  request.strict = trust == "strict";
  options.timeout = std::chrono::seconds(timeout);
  merge_environment(options);
  if (const auto wrong = read_skipped(request)) return *wrong;
  if (options.lock_file.empty()) options.lock_file = variable("MYOPS_LOCK").value_or("");
  return options;
}

Result<Options> parse_judging_options(std::string_view text) {
  auto options = parse_options(text);
  if (!options || options->lock_file.empty()) return options;
  auto lock = read_lock(options->lock_file);
  if (!lock) return lock.error();
  options->request.lock = std::move(*lock);
  options->request.strict = true;  // what the group may write is what the lock says only until it is opened
  return options;
}

}  // namespace myops::system
