// How much the tables hold: what tests/figures.py writes into tests/README.md.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/faults/json_traps.h"
#include "tests/faults/readers.h"
#include "tests/faults/writers.h"
#include "tests/faults/wrong_kinds.h"

namespace headscope::test {
namespace {

nlohmann::ordered_json counted() {
  std::int64_t bytes = 0, traps = 0;
  std::set<std::string> trap_names;
  for (const Reader& reader : readers()) {
    bytes += static_cast<std::int64_t>(reader.small().size());
    if (reader.of_json == nullptr) continue;
    for (const JsonTrap& trap : json_traps(reader.small_json())) {
      ++traps;
      trap_names.insert(trap.name);
    }
  }
  return {{"readers", readers().size()},
          {"truncations", bytes},
          {"changed_bytes", 4 * bytes},
          {"json_traps", trap_names.size()},
          {"json_traps_read", traps},
          {"wrong_kinds", wrong_kinds().size()},
          {"wrong_kinds_read", wrong_kinds().size() * readers().size()},
          {"writers", writers().size()}};
}

TEST(FaultFigures, AreCountedFromTheTables) {
  const nlohmann::ordered_json figures = counted();
  for (const auto& [name, count] : figures.items()) EXPECT_GT(count.get<std::int64_t>(), 0) << name;
  EXPECT_GE(figures.at("wrong_kinds").get<int>(), 21);
  if (const char* const path = std::getenv("HEADSCOPE_FIGURES")) std::ofstream(path) << figures.dump() << '\n';
}

}  // namespace
}  // namespace headscope::test
