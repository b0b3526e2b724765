// Loads what fits: the C++ API of the loader, header-only over its C ABI (loader_c.h). No torch header, no dependency.
//
//   #include <myops/loader.h>
//   auto report = myops::load({.require = {"CPU", "Autograd"}});
//
// Load before the first call of an operator: registering kernels while another thread calls them is unsafe inside
// torch. Link with libmyops_loader.so (CMake: myops::loader).
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader_c.h"

namespace myops {

// What is asked for, in UTF-8. The environment variables MYOPS_REQUIRE, MYOPS_DISABLE and MYOPS_PLUGIN_PATH add to it;
// MYOPS_TORCH stands in where `torch` is empty.
struct LoadOptions {
  std::vector<std::string> paths = {};    // folders or files, searched before the default folders
  std::vector<std::string> require = {};  // dispatch keys that must be served: "CPU", "Autograd"
  std::vector<std::string> prefer = {};   // globs on names or paths of libraries, taken before others of equal rank
  std::vector<std::string> disable = {};  // globs on names or paths of libraries, or dispatch keys
  std::string lock = {};                  // a file of `myops lock`: what it does not list is refused
  std::string torch = {};                 // folder of the torch to open, where none is in the process
  bool open_torch = false;                // open it. A program that links libtorch has one
  bool allow_incomplete = false;          // load a mutating backend without its ADInplaceOrView library
  bool allow_unstamped = false;           // load libraries without a written manifest
  bool allow_no_gpu = false;              // load CUDA libraries without a GPU: they register, but cannot compute
  bool explain_missing = true;            // calls for missing kernels are told which library is missing, and why
  bool quiescent = false;                 // no operator runs meanwhile: what explains a missing kernel may be replaced
  bool strict = false;                    // refuse files that the group can write or that belong to someone else
};

// What came of it. A value: it can be copied and outlives the loader's own.
class Report {
 public:
  Report(int status, std::string json) : status_(status), json_(std::move(json)) {}

  // 0: all that was asked for is there. 1: something is not, or a load found nothing to load. 2: the options were
  // wrong.
  int status() const { return status_; }
  // JSON text, docs/design.md §6.
  const std::string& json() const { return json_; }
  // The same for a terminal: a line a library, the reasons below it.
  std::string text() const { return member("text"); }
  // Paths of the libraries that are in the process now, in the order they were opened. A path that has
  // a line break in it is taken apart there; json() has it whole.
  std::vector<std::string> opened() const {
    std::vector<std::string> paths;
    const std::string lines = member("opened");
    for (std::size_t start = 0; start < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', start), lines.size());
      paths.push_back(lines.substr(start, end - start));
      start = end + 1;
    }
    return paths;
  }

 private:
  std::string member(const char* name) const {
    char* text = myops_member(json_.c_str(), name);
    const std::string copy = text == nullptr ? "" : text;
    myops_free(text);
    return copy;
  }

  int status_;
  std::string json_;
};

// Thrown where something that was asked for cannot be loaded; what() is the report's text.
class LoadError : public std::runtime_error {
 public:
  explicit LoadError(Report report) : std::runtime_error(report.text()), report_(std::move(report)) {}
  const Report& report() const { return report_; }

 private:
  Report report_;
};

namespace detail {

// Length of the UTF-8 sequence that the text begins with, 0 where it begins with none (RFC 3629, section 4).
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

// The value with what is no UTF-8 in it as "\xNN".
[[noreturn]] inline void throw_not_utf8(std::string_view value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string shown;
  while (!value.empty()) {
    const std::size_t length = utf8_length(value);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(value.front());
      shown += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    shown += value.substr(0, length);
    value.remove_prefix(length == 0 ? 1 : length);
  }
  throw std::invalid_argument("myops: \"" + shown + "\" is not UTF-8, which the options must be");
}

inline void append_quoted(std::string& out, std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0) throw_not_utf8(text);
    rest.remove_prefix(length);
  }
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

inline void append_list(std::string& out, const char* name, const std::vector<std::string>& values) {
  append_quoted(out, name);
  out += ":[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ',';
    append_quoted(out, values[i]);
  }
  out += "],";
}

inline void append_flag(std::string& out, const char* name, bool value) {
  append_quoted(out, name);
  out += value ? ":true," : ":false,";
}

inline std::string to_json(const LoadOptions& options) {
  std::string out = "{";
  append_list(out, "paths", options.paths);
  append_list(out, "require", options.require);
  append_list(out, "prefer", options.prefer);
  append_list(out, "disable", options.disable);
  append_flag(out, "open_torch", options.open_torch);
  append_flag(out, "allow_incomplete", options.allow_incomplete);
  append_flag(out, "allow_unstamped", options.allow_unstamped);
  append_flag(out, "allow_no_gpu", options.allow_no_gpu);
  append_flag(out, "quiescent", options.quiescent);
  out += "\"torch\":";
  append_quoted(out, options.torch);
  out += ",\"lock\":";
  append_quoted(out, options.lock);
  out += ",\"explain_missing\":";
  append_quoted(out, options.explain_missing ? "all" : "nothing");
  out += ",\"trust\":";
  append_quoted(out, options.strict ? "strict" : "normal");
  return out + "}";
}

inline Report ask(int (*function)(const char*, char**), const std::string& options) {
  char* result = nullptr;
  const int status = function(options.c_str(), &result);
  if (result == nullptr) throw std::bad_alloc();
  std::string json = result;
  myops_free(result);
  return Report(status, std::move(json));
}

}  // namespace detail

// Loads what fits and verifies it. May be called often and from any thread: each library is opened once, and a later
// call takes what was installed since. Throws LoadError where a required key, or anything that was planned, could not
// be loaded, where there was nothing to load, or an option is wrong; std::invalid_argument, with the value, where one
// is no UTF-8.
inline Report load(const LoadOptions& options = {}) {
  Report report = detail::ask(&myops_load, detail::to_json(options));
  if (report.status() != 0) throw LoadError(std::move(report));
  return report;
}

// What load() would do and why; opens no library.
inline Report plan(const LoadOptions& options = {}) { return detail::ask(&myops_plan, detail::to_json(options)); }

// Operators and their dispatch keys as this process has them, with the library behind each kernel; text() is a table.
// Torch must be in the process. `op`: one operator ("rms_norm", "myops::rms_norm") in all its overloads; "": all of
// the namespaces that the libraries in the plugin folders are for. `paths`: as in LoadOptions, of the loads before.
inline Report table(const std::string& op = "", const std::vector<std::string>& paths = {}) {
  std::string options = "{";
  detail::append_list(options, "paths", paths);
  options += "\"op\":";
  detail::append_quoted(options, op);
  return detail::ask(&myops_table, options + "}");
}

// The report of the last load in this process.
inline Report last_report() { return detail::ask(&myops_report, ""); }

}  // namespace myops
