// One thread at a time may ask or change torch's dispatcher: torch does not guard the kernels of an operator against
// being registered while they are read (loader/bridge/bridge_c.h).
#pragma once

#include <mutex>

namespace myops::system {

// Whoever has one has the dispatcher to itself among those who take turns: loads, and every snapshot. The thread that
// has one may take another.
class Turn {
 public:
  Turn();

 private:
  std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace myops::system
