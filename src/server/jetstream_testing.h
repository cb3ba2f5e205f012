// SPDX-License-Identifier: Apache-2.0
// JetStream: a nats-server with a stream on disk, and asynchronous publishing to it: the baseline
// of the broker's benchmark. Speaks the client protocol of NATS over a plain socket.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/nats_server_testing.h"
#include "base/temporary_directory_testing.h"

namespace weir::server {

class JetStream {
 public:
  // Starts the program nats-server on a free port, with one stream in files, one replica. Aborts if
  // that does not work.
  JetStream();
  ~JetStream();
  JetStream(const JetStream&) = delete;
  JetStream& operator=(const JetStream&) = delete;

  // Publishes so many messages of the payload, at most `window` without their acknowledgements, and
  // waits for all of these. Aborts if one is not acknowledged but refused.
  void publish(std::string_view payload, std::uint64_t count, std::uint64_t window);

  pid_t process() const { return server_.process(); }

 private:
  void connect();
  void create_stream();
  void send(std::string_view bytes);
  // Reads what there is, at least something; counts the messages.
  std::uint64_t read_messages();

  base::TemporaryDirectory directory_;
  base::NatsServer server_;
  int socket_ = -1;
  std::string rest_;               // read, and not whole yet
  std::uint64_t error_count_ = 0;  // messages that tell of one
};

}  // namespace weir::server
