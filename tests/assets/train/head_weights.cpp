// Weights of one head in many phrases, without a start of a program for each: head_weights MODEL LAYER HEAD. Reads a
// line for each phrase, `QUERY KEY PHRASE`, and writes the weight from QUERY to KEY as a line.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>

#include "core/attention/engine.h"

using namespace headscope;

int main(int count, char** arguments) {
  if (count != 4) return 2;
  try {
    Request request;
    request.model = arguments[1];
    request.layer = std::stoll(arguments[2]);
    request.threads = 1;  // phrases of some words; and two of this program may run at once
    const std::int64_t head = std::stoll(arguments[3]);
    Engine engine;
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream parts(line);
      std::int64_t query = 0, key = 0;
      parts >> query >> key >> std::ws;
      std::getline(parts, request.phrase);
      const auto trace = engine.run(request, {});
      std::printf("%.9g\n", static_cast<double>(trace->tensor(StageId::weights).at({0, head, query, key})));
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "head_weights: error: " << error.what() << '\n';
    return 3;
  }
}
