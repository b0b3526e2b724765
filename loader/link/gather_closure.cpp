#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "loader/link/closure.h"
#include "loader/link/search.h"

namespace myops::link {
namespace {

class Gatherer {
 public:
  Gatherer(const Object& file, const Environment& environment, const Reader& read)
      : environment_(environment), search_(environment, read, *file.facts) {
    known_.reserve(environment.loaded.size() + 1);
    for (const Object& object : environment.loaded) known_.push_back(&object);
    start_ = same_file(file.path, file.facts).value_or(known_.size());
    if (start_ == known_.size()) open(file, std::nullopt);
  }

  Closure gather();

 private:
  // A file that is newly mapped.
  struct Opened {
    std::unique_ptr<Object> object;
    std::optional<std::size_t> loader{};  // because of whom
  };

  std::size_t open(Object object, std::optional<std::size_t> loader);
  void add_name(std::size_t index, const std::string& name, const SharedFacts& facts);
  std::optional<std::size_t> with_name(const std::string& name) const;
  std::optional<std::size_t> same_file(const std::string& path, const SharedFacts& facts) const;
  bool is_opened(std::size_t index) const { return index >= environment_.loaded.size(); }
  Opened& opened(std::size_t index) { return opened_[index - environment_.loaded.size()]; }
  Places places_of(std::size_t loader);
  std::optional<std::size_t> open_needed(const std::string& name, std::size_t loader, const Places& places);
  std::vector<std::size_t> follow_needed();

  const Environment& environment_;
  LibrarySearch search_;
  std::vector<const Object*> known_;  // in load order: those that were there, and `opened_`
  std::vector<Opened> opened_;
  std::vector<std::unique_ptr<const Object>> renamed_;  // in the place of some that were there
  std::size_t start_ = 0;
  // Beside what `environment_.loaded` is found by.
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<const elf::ElfFacts*, std::size_t> by_facts_;
  std::vector<MissingLibrary> missing_;
  std::set<std::string> missing_names_;
  std::optional<MissingLibrary> gave_up_;
};

std::size_t Gatherer::open(Object object, std::optional<std::size_t> loader) {
  const std::size_t index = known_.size();
  for (const std::string& name : object.names) by_name_.try_emplace(name, index);
  by_name_.try_emplace(object.path, index);
  by_facts_.try_emplace(object.facts.get(), index);
  if (!object.facts->soname.empty()) by_name_.try_emplace(object.facts->soname, index);
  opened_.push_back({std::make_unique<Object>(std::move(object)), loader});
  known_.push_back(opened_.back().object.get());
  return index;
}

void Gatherer::add_name(std::size_t index, const std::string& name, const SharedFacts& facts) {
  if (with_name(name)) return;
  by_name_.emplace(name, index);
  if (is_opened(index)) {
    opened(index).object->names.push_back(name);
    return;
  }
  auto renamed = std::make_unique<Object>(*known_[index]);
  renamed->names.push_back(name);
  if (std::exchange(renamed->unread, false)) renamed->facts = facts;
  known_[index] = renamed.get();
  renamed_.push_back(std::move(renamed));
}

std::optional<std::size_t> Gatherer::with_name(const std::string& name) const {
  if (const auto loaded = environment_.loaded.find(name)) return loaded;
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> Gatherer::same_file(const std::string& path, const SharedFacts& facts) const {
  if (const auto loaded = environment_.loaded.find(facts)) return loaded;
  if (const auto found = by_facts_.find(facts.get()); found != by_facts_.end()) return found->second;
  return with_name(path);
}

Places Gatherer::places_of(std::size_t loader) {
  if (!is_opened(loader)) return {};
  std::vector<const Object*> loaders;
  for (std::optional<std::size_t> at = loader; at; at = opened(*at).loader) loaders.push_back(known_[*at]);
  return search_.places_of(loaders);
}

std::optional<std::size_t> Gatherer::open_needed(const std::string& name, std::size_t loader, const Places& places) {
  if (const auto found = with_name(name)) return found;
  // What is loaded got all that it needs; a name that none of those here answers to is one they were never asked for
  // by.
  if (!is_opened(loader)) return std::nullopt;
  SearchResult result = search_.find(name, *known_[loader], places);
  if (result.gave_up) {
    if (!gave_up_) gave_up_ = MissingLibrary{name, known_[loader]->path, {}};
    return std::nullopt;
  }
  if (!result.facts) {
    if (missing_names_.insert(name).second) {
      missing_.push_back({name, known_[loader]->path, std::move(result.searched), std::move(result.fault),
                          std::move(result.passed_over)});
    }
    return std::nullopt;
  }
  if (const auto same = same_file(result.path, result.facts)) {
    add_name(*same, name, result.facts);
    return same;
  }
  const std::string soname =
      result.facts->soname.empty() ? result.path.substr(result.path.rfind('/') + 1) : result.facts->soname;
  return open({std::move(result.path), soname, std::move(result.facts), {name}}, loader);
}

// Breadth first, as elf/dl-deps.c does it: the order in which files are mapped and in which symbols are searched.
std::vector<std::size_t> Gatherer::follow_needed() {
  std::vector<std::size_t> order{start_};
  std::set<std::size_t> seen{start_};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SharedFacts facts = known_[order[i]]->facts;
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
    if (in_scope.insert(index).second) closure.scope.push_back(known_[index]);
  };
  for (const std::size_t index : environment_.global) {
    if (index < environment_.loaded.size()) add_to_scope(index);
  }
  for (const std::size_t index : order) add_to_scope(index);
  for (Opened& opened : opened_) closure.opened.push_back(std::move(opened.object));
  closure.known = std::move(known_);
  closure.renamed = std::move(renamed_);
  closure.missing = std::move(missing_);
  closure.gave_up = std::move(gave_up_);
  return closure;
}

}  // namespace

Closure gather_closure(const Object& file, const Environment& environment, const Reader& read) {
  return Gatherer(file, environment, read).gather();
}

}  // namespace myops::link
