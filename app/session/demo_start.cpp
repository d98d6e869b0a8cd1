#include "app/session/demo_start.h"

namespace headscope {
namespace {

constexpr DemoStart kDemoStarts[] = {
    // The last 'green' attends to what was green before, and less to what was red.
    {"demo:stories", "And Anna had a red ball and Tom had a green book. Tom gave the green", 1, {16, 11}},
    // 'it' attends to the noun that it stands for.
    {"demo:pronouns", "The animal didn't cross the street because it was too tired", 7, {7, 1}},
    // The second 'box' attends to what followed the first.
    {"demo:induction", "cat box ink fox jam cat box ink fox jam", 7, {6, 2}},
};

}  // namespace

const DemoStart* demo_start(std::string_view model) {
  for (const DemoStart& start : kDemoStarts) {
    if (model == start.model) return &start;
  }
  return nullptr;
}

}  // namespace headscope
