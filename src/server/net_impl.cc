// SPDX-License-Identifier: Apache-2.0
// Asio, its TLS and Beast are compiled here, once.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
