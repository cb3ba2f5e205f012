// SPDX-License-Identifier: Apache-2.0
// The names of Asio that the server uses.
//
// g++ 12 miscompiles temporaries with captures and braced aggregates inside co_await: name them.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

namespace weir::server {

namespace asio = boost::asio;

using Tcp = asio::ip::tcp;
using NetError = boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

template <typename T = void>
using Task = asio::awaitable<T>;

// Completes with the error in `error` instead of an exception.
inline auto to(NetError& error) { return asio::redirect_error(asio::use_awaitable, error); }

}  // namespace weir::server
