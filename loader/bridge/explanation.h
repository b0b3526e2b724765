// What a stand-in has to say. The text may be changed while others are told it.
#pragma once

#include <c10/util/Exception.h>

#include <mutex>
#include <string>
#include <utility>

namespace myops::bridge {

class Explanation {
 public:
  explicit Explanation(std::string text) : text_(std::move(text)) {}

  void set(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
  }

  // Throws c10::NotImplementedError.
  [[noreturn]] void raise() const {
    const std::string text = [&] {
      const std::lock_guard lock(mutex_);
      return text_;
    }();
    C10_THROW_ERROR(NotImplementedError, text);
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace myops::bridge
