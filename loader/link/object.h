// A file of a process as the dynamic linker knows it, and those that are there.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loader/elf/elf_facts.h"

namespace myops::link {

using SharedFacts = std::shared_ptr<const elf::ElfFacts>;

// A file in the closure.
struct Object {
  std::string path;                  // as it is opened: $ORIGIN is its folder, links not resolved
  std::string soname;                // DT_SONAME, or the file name where there is none
  SharedFacts facts;                 // with symbols
  std::vector<std::string> names{};  // further names it was asked for by (gather_closure adds them)
  bool unread = false;               // there are facts, which nobody has needed yet
};

// Files of a process in load order, each found by what it answers to: every candidate asks the same hundred and fifty.
// Where two answer to a name it is the first. References stay good while more are added.
class Loaded {
 public:
  void add(Object object);
  // For an object that was `unread`.
  void set_facts(std::size_t index, SharedFacts facts);

  std::optional<std::size_t> find(const std::string& name) const;  // path, SONAME or another of its names
  std::optional<std::size_t> find(const SharedFacts& facts) const;

  const Object& operator[](std::size_t index) const { return objects_[index]; }
  const Object& front() const { return objects_.front(); }
  auto begin() const { return objects_.begin(); }
  auto end() const { return objects_.end(); }
  std::size_t size() const { return objects_.size(); }
  bool empty() const { return objects_.empty(); }

 private:
  std::deque<Object> objects_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<const elf::ElfFacts*, std::size_t> by_facts_;
};

// Does a reference to this name, a SONAME or a file name, mean the object?
bool is_called(const Object& object, std::string_view name);

}  // namespace myops::link
