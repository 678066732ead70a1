"""Encrypted messages of WeChat (safe and compatible mode): signed over what they hold, opened by the account's EncodingAESKey.

AES-256-CBC whose first 16 key bytes are the IV, PKCS#7 over blocks of 32; inside are 16 random bytes, the length in four (network
order), the XML, and the account's app id. Used by `wechat.py`; needs the extra `wechat`.
"""

import binascii
from base64 import b64decode
from hmac import compare_digest

from ...protocol.errors import BadRequest
from .channel import Refused
from .reading import sha1_hex

_KEY_CHARS = 43
_RANDOM_BYTES, _LENGTH_BYTES = 16, 4
_BLOCK_BITS = 256


class Seal:
    """`token` and `key` (43 characters) as in WeChat's server settings. Raises BadRequest."""

    def __init__(self, token: str, key: str, app_id: str) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
            from cryptography.hazmat.primitives.padding import PKCS7
        except ImportError:
            raise BadRequest("aes_key needs the extra: pip install 'maitred[wechat]'") from None
        try:
            raw = b64decode(f"{key}=", validate=True)
        except (binascii.Error, ValueError):
            raw = b""
        if len(key) != _KEY_CHARS or len(raw) != 32:
            raise BadRequest(
                f"aes_key is the EncodingAESKey, {_KEY_CHARS} letters and digits; got {len(key)} characters"
            )
        self._token, self._app_id = token, app_id.encode()
        self._cipher = Cipher(algorithms.AES(raw), modes.CBC(raw[:16]))
        self._padding = PKCS7(_BLOCK_BITS)

    def open(self, sealed: str, signature: str, stamp: str, nonce: str) -> bytes:
        """The XML within. Raises Refused: it is not signed with the token, not of this key, or not for this account."""
        expected = sha1_hex(self._token, stamp, nonce, sealed)
        if not compare_digest(expected.encode(), signature.encode()):
            raise Refused(401, "the message's signature is not of this webhook's token")
        try:
            decryptor, unpadder = self._cipher.decryptor(), self._padding.unpadder()
            padded = decryptor.update(b64decode(sealed, validate=True)) + decryptor.finalize()
            plain = unpadder.update(padded) + unpadder.finalize()
        except (binascii.Error, ValueError):
            raise Refused(
                400, "the message cannot be opened; is aes_key the EncodingAESKey of WeChat's settings?"
            ) from None
        begin = _RANDOM_BYTES + _LENGTH_BYTES
        end = begin + int.from_bytes(plain[_RANDOM_BYTES:begin], "big")
        if not compare_digest(plain[end:], self._app_id):
            raise Refused(400, "the message is for another account; is app_id that of WeChat's settings?")
        return plain[begin:end]
