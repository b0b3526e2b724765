#include "loader/bridge/stand_in.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "loader/bridge/absent_gradient.h"
#include "loader/bridge/explanation.h"
#include "loader/bridge/operator_facts.h"

namespace myops::bridge {
namespace {

constexpr const char* kMark = "myops tells here which library is missing";

class AbsentBackend final : public c10::OperatorKernel {
 public:
  explicit AbsentBackend(std::shared_ptr<const Explanation> why) : why_(std::move(why)) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack*) { why_->raise(); }

 private:
  std::shared_ptr<const Explanation> why_;
};

struct StandIn {
  std::shared_ptr<Explanation> why;
  c10::RegistrationHandleRAII registration;
};

// By operator and key. Never destroyed: torch's dispatcher may be gone before it.
std::map<std::pair<std::string, std::string>, StandIn>& stand_ins() {
  static auto* const there = new std::map<std::pair<std::string, std::string>, StandIn>;
  return *there;
}

std::string text_of(const char* text) {
  if (text == nullptr) throw std::invalid_argument("an absence that is not told to the end");
  return text;
}

// An alias has no entry of its own that could be computed.
bool is_there(const c10::OperatorHandle& handle, c10::DispatchKey key) {
  return key == c10::DispatchKey::Autograd ? handle.hasKernelForDispatchKey(key)
                                           : handle.hasComputedKernelForDispatchKey(key);
}

c10::KernelFunction kernel_for(c10::DispatchKey key, const myops_bridge_absence& absence,
                               const std::shared_ptr<const Explanation>& why) {
  switch (key) {
    case c10::DispatchKey::CPU:
    case c10::DispatchKey::CUDA:
    case c10::DispatchKey::PrivateUse1:
      return c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<AbsentBackend>(why));
    case c10::DispatchKey::Autograd:
      return absent_gradient_kernel(why);
    default:
      throw std::invalid_argument("nothing stands in on " + text_of(absence.key));
  }
}

void add(const myops_bridge_absence& absence) {
  const std::string op = text_of(absence.op), key_name = text_of(absence.key);
  const std::pair place(op, key_name);
  if (const auto there = stand_ins().find(place); there != stand_ins().end()) {
    there->second.why->set(text_of(absence.text));
    return;
  }
  auto& dispatcher = c10::Dispatcher::singleton();
  const c10::DispatchKey key = c10::parseDispatchKey(key_name);
  const auto handle = dispatcher.findSchema(operator_name(op));
  auto why = std::make_shared<Explanation>(text_of(absence.text));
  auto kernel = kernel_for(key, absence, why);
  if (!handle || is_there(*handle, key)) return;
  auto registration = dispatcher.registerImpl(operator_name(op), key, std::move(kernel), std::nullopt, nullptr, kMark);
  stand_ins().emplace(place, StandIn{std::move(why), std::move(registration)});
}

}  // namespace

void stand_in(std::span<const myops_bridge_absence> absences) {
  for (const auto& absence : absences) add(absence);
}

void stand_aside(std::span<const myops_bridge_absence> places) {
  for (const auto& place : places) stand_ins().erase({text_of(place.op), text_of(place.key)});
}

bool is_stand_in(std::string_view registration_text) { return registration_text.starts_with(kMark); }

}  // namespace myops::bridge
