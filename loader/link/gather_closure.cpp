#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "loader/link/closure.h"
#include "loader/link/search.h"

namespace myops::link {
namespace {

// An object of the process as it would be.
struct Node {
  Object object;
  std::optional<std::size_t> loader{};  // newly opened ones: because of whom
  bool opened = false;
};

class Gatherer {
 public:
  Gatherer(const Object& file, const Environment& environment, const Reader& read)
      : environment_(environment), search_(environment, read, *file.facts) {
    for (const Object& object : environment.loaded) add({object, {}, false});
    start_ = same_file(file.path, file.facts).value_or(nodes_.size());
    if (start_ == nodes_.size()) add({file, {}, true});
  }

  Closure gather();

 private:
  std::size_t add(Node node);
  void add_name(std::size_t index, const std::string& name);
  std::optional<std::size_t> same_file(const std::string& path, const SharedFacts& facts) const;
  Places places_of(std::size_t loader);
  std::optional<std::size_t> open_needed(const std::string& name, std::size_t loader, const Places& places);
  std::vector<std::size_t> follow_needed();

  const Environment& environment_;
  LibrarySearch search_;
  std::vector<Node> nodes_;  // in load order
  std::size_t start_ = 0;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<const elf::ElfFacts*, std::size_t> by_facts_;
  std::vector<MissingLibrary> missing_;
  std::set<std::string> missing_names_;
  std::optional<MissingLibrary> gave_up_;
};

std::size_t Gatherer::add(Node node) {
  const std::size_t index = nodes_.size();
  for (const std::string& name : node.object.names) by_name_.try_emplace(name, index);
  by_name_.try_emplace(node.object.path, index);
  // Without a DT_SONAME nothing is known of the name that a loaded file was asked for by: its file name is the likely
  // one.
  if (!node.opened) by_name_.try_emplace(node.object.soname, index);
  if (node.object.facts) {
    by_facts_.try_emplace(node.object.facts.get(), index);
    if (!node.object.facts->soname.empty()) by_name_.try_emplace(node.object.facts->soname, index);
  }
  nodes_.push_back(std::move(node));
  return index;
}

void Gatherer::add_name(std::size_t index, const std::string& name) {
  if (by_name_.try_emplace(name, index).second) nodes_[index].object.names.push_back(name);
}

std::optional<std::size_t> Gatherer::same_file(const std::string& path, const SharedFacts& facts) const {
  if (const auto found = by_facts_.find(facts.get()); found != by_facts_.end()) return found->second;
  if (const auto found = by_name_.find(path); found != by_name_.end()) return found->second;
  return std::nullopt;
}

Places Gatherer::places_of(std::size_t loader) {
  if (!nodes_[loader].opened) return {};
  std::vector<const Object*> loaders;
  for (std::optional<std::size_t> at = loader; at; at = nodes_[*at].loader) loaders.push_back(&nodes_[*at].object);
  return search_.places_of(loaders);
}

std::optional<std::size_t> Gatherer::open_needed(const std::string& name, std::size_t loader, const Places& places) {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  // What is loaded got all that it needs; a name that none of those here answers to is one they were never asked for
  // by.
  if (!nodes_[loader].opened) return std::nullopt;
  SearchResult result = search_.find(name, nodes_[loader].object, places);
  if (result.gave_up) {
    if (!gave_up_) gave_up_ = MissingLibrary{name, nodes_[loader].object.path, {}};
    return std::nullopt;
  }
  if (!result.facts) {
    if (missing_names_.insert(name).second) {
      missing_.push_back({name, nodes_[loader].object.path, std::move(result.searched), std::move(result.fault)});
    }
    return std::nullopt;
  }
  if (const auto same = same_file(result.path, result.facts)) {
    add_name(*same, name);
    return same;
  }
  const std::string soname =
      result.facts->soname.empty() ? result.path.substr(result.path.rfind('/') + 1) : result.facts->soname;
  return add({{std::move(result.path), soname, std::move(result.facts), {name}}, loader, true});
}

// Breadth first, as elf/dl-deps.c does it: the order in which files are mapped and in which symbols are searched.
std::vector<std::size_t> Gatherer::follow_needed() {
  std::vector<std::size_t> order{start_};
  std::set<std::size_t> seen{start_};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SharedFacts facts = nodes_[order[i]].object.facts;
    if (!facts || facts->needed.empty()) continue;
    const Places places = places_of(order[i]);
    for (const std::string& name : facts->needed) {
      const auto index = open_needed(name, order[i], places);
      if (index && seen.insert(*index).second) order.push_back(*index);
    }
  }
  return order;
}

Closure Gatherer::gather() {
  const std::vector<std::size_t> order = follow_needed();
  Closure closure;
  std::set<std::size_t> in_scope;
  const auto add_to_scope = [&](std::size_t index) {
    if (in_scope.insert(index).second) closure.scope.push_back(nodes_[index].object);
  };
  for (const std::size_t index : environment_.global) {
    if (index < environment_.loaded.size()) add_to_scope(index);
  }
  for (const std::size_t index : order) add_to_scope(index);
  for (Node& node : nodes_) {
    if (node.opened) closure.opened.push_back(node.object);
    closure.known.push_back(std::move(node.object));
  }
  closure.missing = std::move(missing_);
  closure.gave_up = std::move(gave_up_);
  return closure;
}

}  // namespace

Closure gather_closure(const Object& file, const Environment& environment, const Reader& read) {
  return Gatherer(file, environment, read).gather();
}

}  // namespace myops::link
