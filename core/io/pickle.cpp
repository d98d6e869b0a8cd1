#include "core/io/pickle.h"

#include "core/io/pickle_machine.h"

namespace headscope {

Pickle parse_pickle(std::span<const std::byte> bytes, std::span<const PickleGlobal> globals, const std::string& what) {
  return PickleMachine(bytes, globals, what).run();
}

}  // namespace headscope
