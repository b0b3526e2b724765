// The exported functions: JSON in, JSON out. Nothing C++ and no exception leaves this file.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>

#include "loader/include/myops/loader_c.h"
#include "loader/system/answer.h"
#include "loader/system/child_task.h"
#include "loader/system/last_load.h"
#include "loader/system/load.h"
#include "loader/system/lock_file.h"
#include "loader/system/log.h"
#include "loader/system/look.h"
#include "loader/system/open.h"
#include "loader/system/options.h"
#include "loader/system/stamp_answer.h"
#include "loader/system/table.h"

namespace {

namespace loader = myops::system;
using myops::Result;

// The caller frees it with myops_free(), so it comes from malloc.
char* copy_for_caller(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

int give(const loader::Answer& answer, char** result) {
  if (result != nullptr) *result = copy_for_caller(loader::dump(answer.json));
  return answer.status;
}

// What failed within the loader itself. Only the want of memory is expected here; *result may then stay NULL.
int give_failure(const char* what, char** result) noexcept {
  try {
    return give(loader::error_answer({myops::Code::kInternalError, "the loader", "", what, ""}, loader::kCannotLoad),
                result);
  } catch (...) {
    return loader::kCannotLoad;
  }
}

// Runs `work(text)`; what it throws becomes status 1.
template <class Work>
int guarded(const char* options, char** result, Work work) noexcept {
  if (result != nullptr) *result = nullptr;
  try {
    const Result<loader::Answer> answer = work(std::string(options == nullptr ? "" : options));
    return answer ? give(*answer, result) : give(loader::error_answer(answer.error(), loader::kWrongOptions), result);
  } catch (const std::exception& error) {
    return give_failure(error.what(), result);
  } catch (...) {
    return give_failure("an unknown exception", result);
  }
}

// For the functions that take the common options.
template <class Work>
int with_options(const char* options, char** result, Work work,
                 Result<loader::Options> (*parse)(std::string_view) = &loader::parse_options) noexcept {
  return guarded(options, result, [&](const std::string& text) -> Result<loader::Answer> {
    const auto parsed = parse(text);
    if (!parsed) return parsed.error();
    return work(*parsed);
  });
}

// For those of them that judge files.
template <class Work>
int judging(const char* options, char** result, Work work) noexcept {
  return with_options(options, result, work, &loader::parse_judging_options);
}

// For those that a child process carries out.
int in_child(const char* task, const char* options, char** result) noexcept {
  return guarded(options, result, [&](const std::string& text) -> Result<loader::Answer> {
    const auto parsed = loader::parse_options(text);
    if (!parsed) return parsed.error();
    return loader::in_child(task, text, *parsed);
  });
}

}  // namespace

extern "C" {

int myops_loader_abi(void) { return MYOPS_LOADER_ABI; }
const char* myops_loader_version(void) { return MYOPS_VERSION; }

int myops_list(const char* options, char** result) { return judging(options, result, &loader::list); }
int myops_check(const char* options, char** result) { return judging(options, result, &loader::check); }
int myops_plan(const char* options, char** result) { return judging(options, result, &loader::plan); }
int myops_facts(const char* options, char** result) { return with_options(options, result, &loader::facts); }
int myops_doctor(const char* options, char** result) { return judging(options, result, &loader::doctor); }

int myops_load(const char* options, char** result) {
  return guarded(options, result, [](const std::string& text) {
    return loader::load(loader::parse_judging_options(text), &loader::open_library);
  });
}

int myops_report(const char* options, char** result) {
  return with_options(options, result,
                      [](const loader::Options&) -> Result<loader::Answer> { return loader::last_report(); });
}

int myops_missing(const char* options, char** result) {
  return with_options(options, result, [](const loader::Options& parsed) -> Result<loader::Answer> {
    return loader::missing_kernel(parsed.op, parsed.key);
  });
}

int myops_table(const char* options, char** result) { return judging(options, result, &loader::table); }
int myops_load_in_child(const char* options, char** result) { return in_child("load", options, result); }
int myops_table_in_child(const char* options, char** result) { return in_child("table", options, result); }

int myops_child(const char* task, const char* argument) {
  try {
    return loader::run_task(task == nullptr ? "" : task, argument == nullptr ? "" : argument);
  } catch (...) {
    return loader::kCannotLoad;
  }
}

int myops_lock(const char* options, char** result) { return with_options(options, result, &loader::write_lock); }

int myops_stamp(const char* options, char** result) { return guarded(options, result, &loader::stamp_answer); }

void myops_set_log(myops_log_callback callback, void* user) { loader::set_log(callback, user); }

char* myops_member(const char* json, const char* name) {
  try {
    const std::optional<std::string> text =
        loader::member_text(json == nullptr ? "" : json, name == nullptr ? "" : name);
    return text ? copy_for_caller(*text) : nullptr;
  } catch (...) {
    return nullptr;
  }
}

void myops_free(char* result) { std::free(result); }

}  // extern "C"
