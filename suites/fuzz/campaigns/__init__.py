"""Campaigns: thousands of drawn programs run by shards, their logs, and what they find told apart and confirmed."""
