// Runs one function of the table of writers: write_one NAME FOLDER WORDS. Ends like headscope-cli: 0, or 3 with one
// line. write_one --list prints the table as JSON: [{"name", "command"}, ...], "command" [] where it is run by this.
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/faults/writers.h"

using namespace headscope::test;

namespace {

int list() {
  nlohmann::json rows = nlohmann::json::array();
  for (const Writer& row : writers()) rows.push_back({{"name", row.name}, {"command", row.command}});
  std::cout << rows.dump() << '\n';
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::string(arguments[1]) == "--list") return list();
  if (count != 4) return 2;
  ::signal(SIGXFSZ, SIG_IGN);  // as the programs do
  const std::string name = arguments[1];
  const auto& rows = writers();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Writer& each) { return each.name == name; });
  if (row == rows.end() || row->write == nullptr) return 2;
  try {
    row->write(arguments[2], arguments[3]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "write_one: error: " << error.what() << '\n';
    return 3;
  }
}
