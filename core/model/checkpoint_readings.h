// Files of a model that hold more than is used: one sentence each, for results and descriptions.
#pragma once

#include <string>
#include <vector>

namespace headscope {

class Checkpoint;

// That files hold more layers than the configuration has; that a head of their own differs from the word embedding,
// which takes its place because both are tied. The tensors are among Checkpoint::unexpected().
std::vector<std::string> checkpoint_readings(const Checkpoint& checkpoint);

}  // namespace headscope
