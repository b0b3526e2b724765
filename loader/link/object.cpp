#include "loader/link/object.h"

#include <algorithm>
#include <utility>

namespace myops::link {

void Loaded::add(Object object) {
  const std::size_t index = objects_.size();
  for (const std::string& name : object.names) by_name_.try_emplace(name, index);
  by_name_.try_emplace(object.path, index);
  // Without a DT_SONAME nothing is known of the name that a loaded file was asked for by: its file name is the likely
  // one.
  by_name_.try_emplace(object.soname, index);
  objects_.push_back(std::move(object));
  if (objects_.back().facts) set_facts(index, objects_.back().facts);
}

void Loaded::set_facts(std::size_t index, SharedFacts facts) {
  if (facts) {
    by_facts_.try_emplace(facts.get(), index);
    if (!facts->soname.empty()) by_name_.try_emplace(facts->soname, index);
  }
  objects_[index].facts = std::move(facts);
  objects_[index].unread = false;
}

std::optional<std::size_t> Loaded::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> Loaded::find(const SharedFacts& facts) const {
  const auto found = by_facts_.find(facts.get());
  return found == by_facts_.end() ? std::nullopt : std::optional(found->second);
}

bool is_called(const Object& object, std::string_view name) {
  return object.soname == name || (object.facts && object.facts->soname == name) || object.path == name ||
         std::ranges::find(object.names, name) != object.names.end();
}

}  // namespace myops::link
