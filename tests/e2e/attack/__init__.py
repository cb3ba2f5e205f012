# SPDX-License-Identifier: Apache-2.0
"""Hostile tenants beside a healthy one; ../attack_test.py runs them."""
