pragma solidity ^0.8.0;
import "./Base.sol";
/// A token.
contract Token is Base {
    event Sent(address to);
    struct Account { uint balance; }
    // Sends.
    function send(address to) public returns (bool) {
        return true;
    }
}
