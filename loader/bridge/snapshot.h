// A snapshot of torch's dispatcher: the questions and the facts of bridge_c.h.
#pragma once

#include <span>
#include <string>

#include "loader/bridge/bridge_c.h"

namespace myops::bridge {

// Whoever gets the facts.
struct Listener {
  myops_bridge_tell tell;
  void* context;

  void operator()(myops_bridge_fact fact, const std::string& name, const std::string& key,
                  const std::string& text) const {
    tell(context, fact, name.c_str(), key.c_str(), text.c_str());
  }
};

// Throws std::exception where a question is not one of bridge_c.h.
void snapshot(std::span<const myops_bridge_question> questions, const Listener& listener);

}  // namespace myops::bridge
