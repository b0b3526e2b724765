#include "loader/bridge/library_blocks.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/Exception.h>

#include <optional>
#include <string_view>

namespace myops::bridge {
namespace {

// "… Previous registration of TORCH_LIBRARY was PLACE; latest registration was …" (Dispatcher::registerLibrary).
std::string place_in(std::string_view complaint) {
  constexpr std::string_view kBefore = "Previous registration of TORCH_LIBRARY was ";
  constexpr std::string_view kAfter = "; latest registration was ";
  const auto begin = complaint.find(kBefore);
  if (begin == std::string_view::npos) return {};
  const auto place = complaint.substr(begin + kBefore.size());
  return std::string(place.substr(0, place.rfind(kAfter)));
}

// torch has no question for it, but refuses to enter a namespace twice, and takes back what its handle entered.
std::optional<std::string> block_of(const std::string& op_namespace) {
  try {
    const auto entered_and_taken_back =
        c10::Dispatcher::singleton().registerLibrary(op_namespace, "asked by myops, not registered");
    return std::nullopt;
  } catch (const c10::Error& error) {
    return place_in(error.what_without_backtrace());
  }
}

}  // namespace

std::map<std::string, std::string> library_blocks(const std::set<std::string>& namespaces) {
  std::map<std::string, std::string> blocks;
  for (const auto& op_namespace : namespaces) {
    if (auto place = block_of(op_namespace)) blocks.emplace(op_namespace, std::move(*place));
  }
  return blocks;
}

}  // namespace myops::bridge
