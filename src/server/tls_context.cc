// SPDX-License-Identifier: Apache-2.0
#include "server/tls_context.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <array>
#include <string>

namespace weir::server {
namespace {

base::Error tls_error(const std::filesystem::path& file, const std::string& reason) {
  return {base::ErrorId::kHttpTls, fmt::format("{}: {}", file.string(), reason), std::nullopt};
}

constexpr std::array<unsigned char, 9> kHttp11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

// Chooses http/1.1 if the client offers it, and goes on without a choice if not.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* in, unsigned in_size, void*) {
  unsigned char* chosen = nullptr;
  const int found =
      SSL_select_next_proto(&chosen, out_size, kHttp11.data(), kHttp11.size(), in, in_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

base::Result<TlsContextPtr> load_tls_context(const std::filesystem::path& certificate_file,
                                             const std::filesystem::path& key_file) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  NetError error;
  context->use_certificate_chain_file(certificate_file.string(), error);
  if (error) return tls_error(certificate_file, error.message());
  context->use_private_key_file(key_file.string(), asio::ssl::context::pem, error);
  if (error) return tls_error(key_file, error.message());
  SSL_CTX* const native = context->native_handle();
  if (SSL_CTX_check_private_key(native) != 1) {
    return tls_error(key_file, "the key is not that of the certificate");
  }
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  return context;
}

}  // namespace weir::server
