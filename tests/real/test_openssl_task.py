"""OpenSSL's EVP interface by its header: digests, ciphers and key derivation, against hashlib and published vectors."""

from __future__ import annotations

import base64
import hashlib

import pytest

import jitffi

#: NIST SP 800-38A, F.2.5: AES-256 in CBC mode. Key, initialisation vector, plain text, and what comes out.
CBC = [
    bytes.fromhex(text)
    for text in (
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "000102030405060708090a0b0c0d0e0f",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
        "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
        "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
    )
]
#: The specification of GCM (McGrew, Viega), test case 4: key, vector, plain text, what else is authenticated, out, tag.
GCM = [
    bytes.fromhex(text)
    for text in (
        "feffe9928665731c6d6a8f9467308308",
        "cafebabefacedbaddecaf888",
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
        "5bc94fbc3221a5db94fae95ae7121a47",
    )
]


@pytest.fixture(scope="module")
def evp(bound_header):
    module = bound_header("openssl/evp.h", "crypto", "libssl-dev", brief=True)
    if not hasattr(module, "EVP_Q_digest"):
        pytest.skip("OpenSSL is older than 3.0")
    return module


def digest(evp, algorithm, pieces):
    context, room, size = evp.EVP_MD_CTX_new(), bytearray(evp.EVP_MAX_MD_SIZE), jitffi.new("u32")
    assert evp.EVP_DigestInit_ex(context, algorithm, None) == 1
    for piece in pieces:
        assert evp.EVP_DigestUpdate(context, piece, len(piece)) == 1
    assert evp.EVP_DigestFinal_ex(context, room, size) == 1
    evp.EVP_MD_CTX_free(context)
    return bytes(room[: size.value])


@pytest.mark.parametrize("name", ["sha256", "sha512", "sha1", "sha3_256", "blake2b512"])
def test_digests_are_those_of_hashlib(name, evp):
    pieces = [b"", b"abc", bytes(range(256)) * 100, bytearray(b"end"), memoryview(b"more")]
    wanted = hashlib.new("blake2b" if name == "blake2b512" else name, b"".join(pieces))
    algorithm = getattr(evp, f"EVP_{name}")()
    assert digest(evp, algorithm, pieces) == wanted.digest() and evp.EVP_MD_get_size(algorithm) == wanted.digest_size


def test_a_digest_by_name(evp):
    room, size = bytearray(evp.EVP_MAX_MD_SIZE), jitffi.new("u64")
    assert evp.EVP_Q_digest(None, "SHA2-256", None, b"abc", 3, room, size) == 1
    assert room[: size.value] == hashlib.sha256(b"abc").digest()
    fetched = evp.EVP_MD_fetch(None, "SHA2-384", None)
    assert (
        evp.EVP_MD_get0_name(fetched) == "SHA2-384"
        and digest(evp, fetched, [b"abc"]) == hashlib.sha384(b"abc").digest()
    )
    evp.EVP_MD_free(fetched)
    assert evp.EVP_get_digestbyname("no such") is None


def cipher(evp, way, algorithm, key, vector, content, padding=1):
    """*content* encrypted or decrypted; *way* is "Encrypt" or "Decrypt". None where the end does not fit."""
    of = lambda name: getattr(evp, f"EVP_{way}{name}")  # noqa: E731
    context, size = evp.EVP_CIPHER_CTX_new(), jitffi.new("i32")
    room = bytearray(len(content) + evp.EVP_MAX_BLOCK_LENGTH)
    assert of("Init_ex")(context, algorithm, None, key, vector) == 1
    assert evp.EVP_CIPHER_CTX_set_padding(context, padding) == 1
    assert of("Update")(context, room, size, content, len(content)) == 1
    made = room[: size.value]
    status = of("Final_ex")(context, room, size)
    evp.EVP_CIPHER_CTX_free(context)
    return bytes(made + room[: size.value]) if status == 1 else None


def test_a_published_vector(evp):
    key, vector, plain, wanted = CBC
    assert cipher(evp, "Encrypt", evp.EVP_aes_256_cbc(), key, vector, plain, padding=0) == wanted
    assert cipher(evp, "Decrypt", evp.EVP_aes_256_cbc(), key, vector, wanted, padding=0) == plain


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 10_000])
def test_there_and_back(size, evp):
    key, vector, plain = bytes(range(32)), bytes(range(16)), bytes(i * 7 % 251 for i in range(size))
    secret = cipher(evp, "Encrypt", evp.EVP_aes_256_cbc(), key, vector, plain)
    assert len(secret) == size // 16 * 16 + 16 and secret[:size] != plain or size == 0
    assert cipher(evp, "Decrypt", evp.EVP_aes_256_cbc(), key, vector, secret) == plain
    assert cipher(evp, "Decrypt", evp.EVP_aes_256_cbc(), key, vector, secret[:-1]) is None


def authenticated(evp, way, content, tag):
    """A message in Galois/Counter Mode, and its tag; None where the given one is another."""
    key, vector, _, also, _, _ = GCM
    context, size = evp.EVP_CIPHER_CTX_new(), jitffi.new("i32")
    of = lambda name: getattr(evp, f"EVP_{way}{name}")  # noqa: E731
    assert of("Init_ex")(context, evp.EVP_aes_128_gcm(), None, None, None) == 1
    assert evp.EVP_CIPHER_CTX_ctrl(context, evp.EVP_CTRL_AEAD_SET_IVLEN, len(vector), None) == 1
    assert of("Init_ex")(context, None, None, key, vector) == 1
    room = bytearray(len(content))
    assert of("Update")(context, None, size, also, len(also)) == 1 and size.value == len(also)
    assert of("Update")(context, room, size, content, len(content)) == 1
    if way == "Decrypt":
        assert evp.EVP_CIPHER_CTX_ctrl(context, evp.EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1
    status = of("Final_ex")(context, bytearray(16), size)
    if way == "Encrypt":
        assert evp.EVP_CIPHER_CTX_ctrl(context, evp.EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1
    evp.EVP_CIPHER_CTX_free(context)
    return bytes(room) if status == 1 else None


def test_authenticated_encryption(evp):
    _, _, plain, _, secret, tag = GCM
    made = bytearray(16)
    assert authenticated(evp, "Encrypt", plain, made) == secret and made == tag
    assert authenticated(evp, "Decrypt", secret, made) == plain
    assert authenticated(evp, "Decrypt", secret, bytearray(16)) is None


def test_keys_from_passwords(evp):
    room = bytearray(40)
    status = evp.PKCS5_PBKDF2_HMAC("p\u00e4ss", 5, b"salt", 4, 1000, evp.EVP_sha256(), len(room), room)
    assert status == 1 and room == hashlib.pbkdf2_hmac("sha256", "p\u00e4ss".encode(), b"salt", 1000, 40)


def test_base64(evp):
    content, room = bytes(range(200)), jitffi.new("u8[300]")
    size = evp.EVP_EncodeBlock(room, content, len(content))
    assert room.text() == base64.b64encode(content).decode() and size == len(room.text())


def test_all_digests_are_named_to_a_callback(evp):
    names = []
    evp.EVP_MD_do_all_provided(None, lambda algorithm, argument: names.append(evp.EVP_MD_get0_name(algorithm)), None)
    assert {"SHA2-256", "SHA3-256"} <= set(names)
